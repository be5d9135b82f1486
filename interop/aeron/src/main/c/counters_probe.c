/* A counter of its own, and all that the driver has. */
#include <inttypes.h>
#include <string.h>
#include "peer.h"

#define DRIVER_TIMEOUT_MS 10000
#define TYPE_ID 1007
#define LABEL "interop counter"

static void on_counter(
    int64_t value,
    int32_t id,
    int32_t type_id,
    const uint8_t *key,
    size_t key_length,
    const char *label,
    size_t label_length,
    void *clientd)
{
    (void)key;
    (void)key_length;
    (void)clientd;
    say("%d %d %" PRId64 " %.*s", id, type_id, value, (int)label_length, label);
}

/* `directory`; adds a counter, then prints every counter as `id type value label`. */
int counters_probe(char **args)
{
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    aeron_async_add_counter_t *async = NULL;
    aeron_counter_t *counter = NULL;
    if (aeron_async_add_counter(&async, client.aeron, TYPE_ID, NULL, 0, LABEL, strlen(LABEL)) < 0)
    {
        fail("%s", aeron_errmsg());
    }
    while (NULL == counter)
    {
        if (aeron_async_add_counter_poll(&counter, async) < 0)
        {
            fail("%s", aeron_errmsg());
        }
        idle(0);
    }
    *aeron_counter_addr(counter) = 42;
    aeron_counters_reader_foreach_counter(aeron_counters_reader(client.aeron), on_counter, NULL);
    client_close(&client);
    return 0;
}
