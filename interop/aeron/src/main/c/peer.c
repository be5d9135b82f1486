#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "peer.h"

typedef struct
{
    const char *name;
    int (*run)(char **args);
    int arity;
}
program_t;

static const program_t PROGRAMS[] =
{
    { "publisher", publisher, 6 },
    { "subscriber", subscriber, 5 },
    { "survivor", survivor, 6 },
    { "witness", witness, 5 },
    { "reconnecter", reconnecter, 4 },
    { "timestamps", timestamps, 5 },
    { "countersProbe", counters_probe, 1 },
    { "benchPublish", bench_publish, 4 },
    { "benchSubscribe", bench_subscribe, 4 },
    { "benchPing", bench_ping, 6 },
    { "benchPong", bench_pong, 6 }
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(PROGRAMS) / sizeof(PROGRAMS[0]); i++)
    {
        if (0 == strcmp(PROGRAMS[i].name, argv[1]) && argc == PROGRAMS[i].arity + 2)
        {
            return PROGRAMS[i].run(argv + 2);
        }
    }
    fprintf(stderr, "no such program, or not with %d arguments\n", argc - 2);
    return 2;
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

void fail(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("failed ");
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
    _Exit(1);
}

void await_line(void)
{
    int c;
    do
    {
        c = getchar();
    }
    while ('\n' != c && EOF != c);
}

void idle(int work_count)
{
    if (0 == work_count)
    {
        sched_yield();
    }
}

list_t list_of(const char *text)
{
    list_t list = { .count = 0 };
    const char *at = text;
    while ('\0' != *at && list.count < LIST_LENGTH_MAX)
    {
        char *end;
        list.values[list.count++] = (int)strtol(at, &end, 10);
        at = ',' == *end ? end + 1 : end;
    }
    return list;
}

size_t message_write(uint8_t *buffer, int64_t number, const list_t *lengths)
{
    const size_t length = (size_t)lengths->values[(size_t)number % lengths->count];
    memcpy(buffer, &number, sizeof(number));
    for (size_t i = sizeof(number); i < length; i++)
    {
        buffer[i] = (uint8_t)((size_t)number + i);
    }
    return length;
}

void message_check(const uint8_t *buffer, size_t length, int64_t number, const list_t *lengths)
{
    const size_t expected = (size_t)lengths->values[(size_t)number % lengths->count];
    if (length != expected)
    {
        fail("message %" PRId64 " has %zu bytes, not %zu", number, length, expected);
    }
    int64_t found;
    memcpy(&found, buffer, sizeof(found));
    if (found != number)
    {
        fail("message %" PRId64 " came where %" PRId64 " was due", found, number);
    }
    for (size_t i = sizeof(number); i < length; i++)
    {
        if (buffer[i] != (uint8_t)((size_t)number + i))
        {
            fail("byte %zu of message %" PRId64 " is wrong", i, number);
        }
    }
}
