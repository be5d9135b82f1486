/* A client that outlives its driver. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "peer.h"

#define DRIVER_TIMEOUT_MS 3000
#define LENGTH 100

static void on_error(void *clientd, int code, const char *text)
{
    (void)text;
    int none = 0;
    atomic_compare_exchange_strong((atomic_int *)clientd, &none, code);
}

static void on_message(void *clientd, const uint8_t *buffer, size_t length, aeron_header_t *header)
{
    (void)length;
    (void)header;
    int64_t *received = clientd;
    int64_t number;
    memcpy(&number, buffer, sizeof(number));
    if (number != *received)
    {
        fail("message %" PRId64 " came for %" PRId64, number, *received);
    }
    (*received)++;
}

static void exchange(client_t *client, const char *channel, int stream_id, int64_t count)
{
    uint8_t buffer[LENGTH] = { 0 };
    aeron_subscription_t *subscription = client_subscribe(client, channel, stream_id);
    publication_t publication = client_publish(client, channel, stream_id, false);
    int64_t sent = 0;
    int64_t received = 0;
    while (received < count)
    {
        memcpy(buffer, &sent, sizeof(sent));
        if (sent < count && publication_offer(&publication, buffer, LENGTH, NULL) > 0)
        {
            sent++;
        }
        if (aeron_subscription_poll(subscription, on_message, &received, FRAGMENT_LIMIT) < 0)
        {
            fail("%s", aeron_errmsg());
        }
        idle(0);
    }
    say("exchanged %" PRId64, received);
}

/*
 * `directory channel streamId count`; sends messages to itself and prints `exchanged <count>`; when the driver is gone it
 * prints `lost <error code>`. At the next line it connects to the driver that is there now and exchanges as many again.
 */
int reconnecter(char **args)
{
    const int stream_id = atoi(args[2]);
    const int64_t count = strtoll(args[3], NULL, 10);
    const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
    atomic_int error = 0;
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, on_error, &error);
    exchange(&client, args[1], stream_id, count);
    while (0 == atomic_load(&error))
    {
        nanosleep(&pause, NULL);
    }
    say("lost %d", atomic_load(&error));
    client_close(&client);
    await_line();
    client_t second = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    exchange(&second, args[1], stream_id, count);
    client_close(&second);
    return 0;
}
