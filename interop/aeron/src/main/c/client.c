#include <inttypes.h>
#include "peer.h"

static void on_unexpected_error(void *clientd, int code, const char *message)
{
    (void)clientd;
    fail("%d %s", code, message);
}

client_t client_connect(const char *directory, uint64_t driver_timeout_ms, aeron_error_handler_t on_error, void *clientd)
{
    client_t client = { NULL, NULL };
    if (aeron_context_init(&client.context) < 0 ||
        aeron_context_set_dir(client.context, directory) < 0 ||
        aeron_context_set_driver_timeout_ms(client.context, driver_timeout_ms) < 0 ||
        aeron_context_set_error_handler(client.context, NULL == on_error ? on_unexpected_error : on_error, clientd) < 0 ||
        aeron_init(&client.aeron, client.context) < 0 ||
        aeron_start(client.aeron) < 0)
    {
        fail("%s", aeron_errmsg());
    }
    return client;
}

void client_close(client_t *client)
{
    aeron_close(client->aeron);
    aeron_context_close(client->context);
}

aeron_subscription_t *client_subscribe(client_t *client, const char *channel, int stream_id)
{
    aeron_async_add_subscription_t *async = NULL;
    aeron_subscription_t *subscription = NULL;
    if (aeron_async_add_subscription(&async, client->aeron, channel, stream_id, NULL, NULL, NULL, NULL) < 0)
    {
        fail("%s", aeron_errmsg());
    }
    while (NULL == subscription)
    {
        if (aeron_async_add_subscription_poll(&subscription, async) < 0)
        {
            fail("%s", aeron_errmsg());
        }
        idle(0);
    }
    return subscription;
}

static aeron_publication_t *publish_concurrently(client_t *client, const char *channel, int stream_id)
{
    aeron_async_add_publication_t *async = NULL;
    aeron_publication_t *publication = NULL;
    if (aeron_async_add_publication(&async, client->aeron, channel, stream_id) < 0)
    {
        fail("%s", aeron_errmsg());
    }
    while (NULL == publication)
    {
        if (aeron_async_add_publication_poll(&publication, async) < 0)
        {
            fail("%s", aeron_errmsg());
        }
        idle(0);
    }
    return publication;
}

static aeron_exclusive_publication_t *publish_exclusively(client_t *client, const char *channel, int stream_id)
{
    aeron_async_add_exclusive_publication_t *async = NULL;
    aeron_exclusive_publication_t *publication = NULL;
    if (aeron_async_add_exclusive_publication(&async, client->aeron, channel, stream_id) < 0)
    {
        fail("%s", aeron_errmsg());
    }
    while (NULL == publication)
    {
        if (aeron_async_add_exclusive_publication_poll(&publication, async) < 0)
        {
            fail("%s", aeron_errmsg());
        }
        idle(0);
    }
    return publication;
}

publication_t client_publish(client_t *client, const char *channel, int stream_id, bool is_exclusive)
{
    publication_t publication =
    {
        is_exclusive ? NULL : publish_concurrently(client, channel, stream_id),
        is_exclusive ? publish_exclusively(client, channel, stream_id) : NULL
    };
    return publication;
}

int64_t publication_offer(
    publication_t *publication, const uint8_t *buffer, size_t length, aeron_reserved_value_supplier_t supplier)
{
    return NULL == publication->exclusive ?
        aeron_publication_offer(publication->concurrent, buffer, length, supplier, NULL) :
        aeron_exclusive_publication_offer(publication->exclusive, buffer, length, supplier, NULL);
}

void publication_send(publication_t *publication, const uint8_t *buffer, size_t length, aeron_reserved_value_supplier_t supplier)
{
    int64_t position;
    while ((position = publication_offer(publication, buffer, length, supplier)) < 0)
    {
        if (AERON_PUBLICATION_BACK_PRESSURED != position &&
            AERON_PUBLICATION_NOT_CONNECTED != position &&
            AERON_PUBLICATION_ADMIN_ACTION != position)
        {
            fail("offer answered %" PRId64 ": %s", position, aeron_errmsg());
        }
        idle(0);
    }
}
