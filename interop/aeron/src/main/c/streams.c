/* Numbered messages on one stream and on many, published and checked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "peer.h"

#define DRIVER_TIMEOUT_MS 10000

static uint8_t message[MESSAGE_LENGTH_MAX];

/* `directory channel streamId count lengths exclusive`; prints `published <count>`. */
int publisher(char **args)
{
    const int64_t count = strtoll(args[3], NULL, 10);
    const list_t lengths = list_of(args[4]);
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    publication_t publication = client_publish(&client, args[1], atoi(args[2]), 0 == strcmp("true", args[5]));
    for (int64_t number = 0; number < count; number++)
    {
        publication_send(&publication, message, message_write(message, number, &lengths), NULL);
    }
    client_close(&client);
    say("published %" PRId64, count);
    return 0;
}

/* What a stream has had. */
typedef struct
{
    aeron_subscription_t *subscription;
    aeron_fragment_assembler_t *assembler;
    const list_t *lengths;
    int64_t number;
}
reader_t;

static void on_message(void *clientd, const uint8_t *buffer, size_t length, aeron_header_t *header)
{
    (void)header;
    reader_t *reader = clientd;
    message_check(buffer, length, reader->number, reader->lengths);
    reader->number++;
}

static void reader_open(reader_t *reader, client_t *client, const char *channel, int stream_id, const list_t *lengths)
{
    reader->subscription = client_subscribe(client, channel, stream_id);
    reader->lengths = lengths;
    reader->number = 0;
    if (aeron_fragment_assembler_create(&reader->assembler, on_message, reader) < 0)
    {
        fail("%s", aeron_errmsg());
    }
}

static int reader_poll(reader_t *reader)
{
    const int fragments = aeron_subscription_poll(
        reader->subscription, aeron_fragment_assembler_handler, reader->assembler, FRAGMENT_LIMIT);
    if (fragments < 0)
    {
        fail("%s", aeron_errmsg());
    }
    return fragments;
}

/* `directory channel streamId count lengths`; prints `subscribed`, then `received <count>`. */
int subscriber(char **args)
{
    const int64_t count = strtoll(args[3], NULL, 10);
    const list_t lengths = list_of(args[4]);
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    reader_t reader;
    reader_open(&reader, &client, args[1], atoi(args[2]), &lengths);
    say("subscribed");
    while (reader.number < count)
    {
        idle(reader_poll(&reader));
    }
    client_close(&client);
    aeron_fragment_assembler_delete(reader.assembler);
    say("received %" PRId64, reader.number);
    return 0;
}

/*
 * `directory channel streamIds firstNumber count length`; prints `added`, publishes at the next line, prints `published`,
 * and holds the streams until its input ends.
 */
int survivor(char **args)
{
    const list_t stream_ids = list_of(args[2]);
    const int64_t first = strtoll(args[3], NULL, 10);
    const int64_t count = strtoll(args[4], NULL, 10);
    const list_t lengths = list_of(args[5]);
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    publication_t *publications = calloc(stream_ids.count, sizeof(publication_t));
    for (size_t i = 0; i < stream_ids.count; i++)
    {
        publications[i] = client_publish(&client, args[1], stream_ids.values[i], false);
    }
    say("added");
    await_line();
    for (size_t i = 0; i < stream_ids.count; i++)
    {
        for (int64_t number = first; number < first + count; number++)
        {
            publication_send(&publications[i], message, message_write(message, number, &lengths), NULL);
        }
    }
    say("published");
    await_line();
    client_close(&client);
    free(publications);
    return 0;
}

static bool is_short_of(const reader_t *readers, size_t reader_count, int64_t count)
{
    for (size_t i = 0; i < reader_count; i++)
    {
        if (readers[i].number < count)
        {
            return true;
        }
    }
    return false;
}

/* `directory channel streamIds count length`; prints `subscribed`, then `received <sum>`, and stays until its input ends. */
int witness(char **args)
{
    const list_t stream_ids = list_of(args[2]);
    const int64_t count = strtoll(args[3], NULL, 10);
    const list_t lengths = list_of(args[4]);
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    reader_t *readers = calloc(stream_ids.count, sizeof(reader_t));
    for (size_t i = 0; i < stream_ids.count; i++)
    {
        reader_open(&readers[i], &client, args[1], stream_ids.values[i], &lengths);
    }
    say("subscribed");
    while (is_short_of(readers, stream_ids.count, count))
    {
        int fragments = 0;
        for (size_t i = 0; i < stream_ids.count; i++)
        {
            fragments += reader_poll(&readers[i]);
        }
        idle(fragments);
    }
    int64_t sum = 0;
    for (size_t i = 0; i < stream_ids.count; i++)
    {
        sum += readers[i].number;
    }
    say("received %" PRId64, sum);
    await_line();
    client_close(&client);
    for (size_t i = 0; i < stream_ids.count; i++)
    {
        aeron_fragment_assembler_delete(readers[i].assembler);
    }
    free(readers);
    return 0;
}
