/*
 * The C client in benchmarks, as that of Java: it prints `open`, and at each line, which is a count, `ready`; then it does
 * that many and prints `done` with what it has found. It spins while it waits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "peer.h"

/* The processes of a benchmark may want more cores than there are: waiting is no death. */
#define DRIVER_TIMEOUT_MS 60000
#define BENCH_FRAGMENT_LIMIT 256

static uint8_t message[MESSAGE_LENGTH_MAX];

/* The next count; 0 at the end of the input. */
static int64_t next(void)
{
    char line[32];
    if (NULL == fgets(line, sizeof(line), stdin))
    {
        return 0;
    }
    say("ready");
    return strtoll(line, NULL, 10);
}

static void offer(publication_t *publication, const uint8_t *buffer, size_t length)
{
    while (publication_offer(publication, buffer, length, NULL) < 0)
    {
    }
}

/* `directory channel streamId length` */
int bench_publish(char **args)
{
    const size_t length = strtoul(args[3], NULL, 10);
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    publication_t publication = client_publish(&client, args[1], atoi(args[2]), false);
    say("open");
    for (int64_t count; (count = next()) > 0; say("done"))
    {
        for (int64_t sent = 0; sent < count; sent++)
        {
            message[0] = (uint8_t)sent;
            offer(&publication, message, length);
        }
    }
    client_close(&client);
    return 0;
}

typedef struct
{
    int64_t received;
    int32_t sum;
    publication_t publication;
}
bench_t;

static void on_message(void *clientd, const uint8_t *buffer, size_t length, aeron_header_t *header)
{
    (void)length;
    (void)header;
    bench_t *bench = clientd;
    bench->sum += (int8_t)buffer[0];
    bench->received++;
}

/* `directory channel streamId length` */
int bench_subscribe(char **args)
{
    bench_t bench = { .sum = 0 };
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    aeron_subscription_t *subscription = client_subscribe(&client, args[1], atoi(args[2]));
    say("open");
    for (int64_t count; (count = next()) > 0; say("done %" PRId32, bench.sum))
    {
        for (bench.received = 0; bench.received < count;)
        {
            aeron_subscription_poll(subscription, on_message, &bench, BENCH_FRAGMENT_LIMIT);
        }
    }
    client_close(&client);
    return 0;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* The value that `permille` of all do not exceed. */
static int64_t percentile(const int64_t *sorted, int64_t count, int64_t permille)
{
    const int64_t index = (count * permille + 999) / 1000 - 1;
    return sorted[index < 0 ? 0 : index];
}

/* `directory channel streamId length pongChannel pongStreamId` */
int bench_ping(char **args)
{
    const size_t length = strtoul(args[3], NULL, 10);
    bench_t bench = { .sum = 0 };
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    bench.publication = client_publish(&client, args[1], atoi(args[2]), true);
    aeron_subscription_t *subscription = client_subscribe(&client, args[4], atoi(args[5]));
    say("open");
    for (int64_t count; (count = next()) > 0;)
    {
        int64_t *times = calloc((size_t)count, sizeof(int64_t));
        for (int64_t i = 0; i < count; i++)
        {
            const int64_t start_ns = now_ns();
            bench.received = 0;
            offer(&bench.publication, message, length);
            while (0 == bench.received)
            {
                aeron_subscription_poll(subscription, on_message, &bench, 1);
            }
            times[i] = now_ns() - start_ns;
        }
        qsort(times, (size_t)count, sizeof(int64_t), by_value);
        say("done %" PRId64 " %" PRId64 " %" PRId64,
            percentile(times, count, 500), percentile(times, count, 990), percentile(times, count, 999));
        free(times);
    }
    client_close(&client);
    return 0;
}

static void on_ping(void *clientd, const uint8_t *buffer, size_t length, aeron_header_t *header)
{
    (void)header;
    bench_t *bench = clientd;
    offer(&bench->publication, buffer, length);
    bench->received++;
}

/* `directory channel streamId length pongChannel pongStreamId` */
int bench_pong(char **args)
{
    bench_t bench = { .sum = 0 };
    client_t client = client_connect(args[0], DRIVER_TIMEOUT_MS, NULL, NULL);
    aeron_subscription_t *subscription = client_subscribe(&client, args[1], atoi(args[2]));
    bench.publication = client_publish(&client, args[4], atoi(args[5]), true);
    say("open");
    for (int64_t count; (count = next()) > 0; say("done"))
    {
        for (bench.received = 0; bench.received < count;)
        {
            aeron_subscription_poll(subscription, on_ping, &bench, 1);
        }
    }
    client_close(&client);
    return 0;
}
