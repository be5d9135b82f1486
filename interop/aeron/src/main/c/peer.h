/*
 * The C client in the interop runs: `peer <program> <arguments>`. Each program is a function that takes what follows its
 * name; it prints what those of Java and of Millrace of the same name print.
 */
#ifndef MILLRACE_INTEROP_PEER_H
#define MILLRACE_INTEROP_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "aeronc.h"

#define FRAGMENT_LIMIT 64
#define MESSAGE_LENGTH_MAX (1024 * 1024)

int publisher(char **args);
int subscriber(char **args);
int survivor(char **args);
int witness(char **args);
int reconnecter(char **args);
int timestamps(char **args);
int counters_probe(char **args);
int bench_publish(char **args);
int bench_subscribe(char **args);
int bench_ping(char **args);
int bench_pong(char **args);

/* --- numbers in a list, as in `32,100` --- */

#define LIST_LENGTH_MAX 1024

typedef struct
{
    int values[LIST_LENGTH_MAX];
    size_t count;
}
list_t;

list_t list_of(const char *text);

/* --- message n: its number as a little-endian int64, then byte i = (n + i) mod 256; lengths go round in a list --- */

size_t message_write(uint8_t *buffer, int64_t number, const list_t *lengths);

/** Ends the program with `failed <reason>` where the bytes are not message `number`. */
void message_check(const uint8_t *buffer, size_t length, int64_t number, const list_t *lengths);

/* --- a client of the driver in a directory; what fails ends the program --- */

typedef struct
{
    aeron_context_t *context;
    aeron_t *aeron;
}
client_t;

client_t client_connect(const char *directory, uint64_t driver_timeout_ms, aeron_error_handler_t on_error, void *clientd);
void client_close(client_t *client);
aeron_subscription_t *client_subscribe(client_t *client, const char *channel, int stream_id);

/** One of the two. */
typedef struct
{
    aeron_publication_t *concurrent;
    aeron_exclusive_publication_t *exclusive;
}
publication_t;

publication_t client_publish(client_t *client, const char *channel, int stream_id, bool is_exclusive);
int64_t publication_offer(
    publication_t *publication, const uint8_t *buffer, size_t length, aeron_reserved_value_supplier_t supplier);

/** Offers until it is accepted. */
void publication_send(publication_t *publication, const uint8_t *buffer, size_t length, aeron_reserved_value_supplier_t supplier);

/* --- lines --- */

void say(const char *format, ...);

/** Waits for the next line, or for the end of the input. */
void await_line(void);
_Noreturn void fail(const char *format, ...);
void idle(int work_count);

#endif
