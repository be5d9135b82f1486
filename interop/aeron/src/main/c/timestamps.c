/* Messages in which drivers may put the time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "peer.h"

#define DRIVER_TIMEOUT_MS 10000
/* So that a message has a datagram to itself. */
#define LENGTH 1000
#define RESERVED_VALUE 5

static int64_t reserved_value(void *clientd, uint8_t *buffer, size_t frame_length)
{
    (void)clientd;
    (void)buffer;
    (void)frame_length;
    return RESERVED_VALUE;
}

static void on_message(void *clientd, const uint8_t *buffer, size_t length, aeron_header_t *header)
{
    (void)length;
    int *count = clientd;
    int64_t numbers[3];
    memcpy(numbers, buffer, sizeof(numbers));
    aeron_header_values_t values;
    aeron_header_values(header, &values);
    say("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, values.frame.reserved_value, numbers[0], numbers[1], numbers[2]);
    (*count)--;
}

/*
 * `directory channel streamId count publish|subscribe`. Messages are of value 1, with the reserved value 5. A subscriber
 * prints `subscribed`, then a line a message: its reserved value, and the numbers of 64 bits at 0, 8 and 16 of its
 * payload. A publisher prints `published`.
 */
int timestamps(char **args)
{
    int count = atoi(args[3]);
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    if (0 == strcmp("publish", args[4]))
    {
        uint8_t message[LENGTH];
        memset(message, 1, LENGTH);
        publication_t publication = client_publish(&client, args[1], atoi(args[2]), false);
        for (; count > 0; count--)
        {
            publication_send(&publication, message, LENGTH, reserved_value);
        }
        say("published");
    }
    else
    {
        aeron_subscription_t *subscription = client_subscribe(&client, args[1], atoi(args[2]));
        say("subscribed");
        while (count > 0)
        {
            idle(aeron_subscription_poll(subscription, on_message, &count, FRAGMENT_LIMIT));
        }
    }
    client_close(&client);
    return 0;
}
