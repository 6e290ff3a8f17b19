/* A8: the floor. Two coroutines of one scheduler, whose channels are two words: who waits to send, who waits to receive. A send
   to a waiting receiver runs it at once and a receive from a waiting sender makes that one ready, as in Concurrent ML; a choice
   looks at each channel, then waits at all of them, then leaves them. There are no types, no queues, no priorities, no other
   workers, no collector, and nothing is allocated. Prints nanoseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "../switch/coroutine.h"

enum { ROUNDS = 1000000, MOST = 8 };

struct coroutine {
    void *sp;
    struct coroutine *next; /* in the ready queue */
    long message;
    int which; /* of the channels of a choice */
};

struct channel {
    struct coroutine *sender, *receiver;
    int index; /* the receiver's, among those of its choice */
};

static struct coroutine self_main, partner, *self = &self_main, *first, **last = &first;

static inline void ready(struct coroutine *c)
{
    c->next = 0;
    *last = c;
    last = &c->next;
}

static inline void run(struct coroutine *c)
{
    struct coroutine *from = self;
    self = c;
    coroutine_switch(&from->sp, c->sp);
}

static inline void block(void)
{
    struct coroutine *c = first;
    if (!c) {
        fputs("deadlock\n", stderr);
        exit(1);
    }
    first = c->next;
    if (!first)
        last = &first;
    run(c);
}

/* The receiver leaves the other channels of its choice itself. */
static inline void send(struct channel *ch, long message)
{
    struct coroutine *to = ch->receiver;
    if (to) {
        ch->receiver = 0;
        to->message = message;
        to->which = ch->index;
        ready(self);
        run(to);
    } else {
        self->message = message;
        ch->sender = self;
        block();
    }
}

static inline long taken(struct channel *ch)
{
    struct coroutine *from = ch->sender;
    ch->sender = 0;
    ready(from);
    return from->message;
}

static inline long recv(struct channel *ch)
{
    if (ch->sender)
        return taken(ch);
    ch->receiver = self;
    block();
    return self->message;
}

static inline long choose(struct channel *channels, int count)
{
    for (int i = count - 1; i >= 0; i--)
        if (channels[i].sender)
            return taken(&channels[i]);
    for (int i = 0; i < count; i++) {
        channels[i].receiver = self;
        channels[i].index = i;
    }
    block();
    for (int i = 0; i < count; i++)
        channels[i].receiver = 0;
    return self->message;
}

/* -- the programs */

static struct channel channels[MOST], there, back;
static int count;

static void answer(void)
{
    for (;;)
        send(&back, recv(&there) + 1);
}

static void send_in_turn(void)
{
    for (;;)
        for (int i = 0; i < count; i++)
            send(&channels[i], 1);
}

static void start(void (*body)(void))
{
    partner.sp = coroutine_new(body);
    ready(self);
    run(&partner);
}

static long pingpong(long n)
{
    long x = 0;
    while (n-- > 0) {
        send(&there, x);
        x = recv(&back);
    }
    return x;
}

static long choosing(long n)
{
    long sum = 0;
    while (n-- > 0)
        sum += choose(channels, count);
    return sum;
}

/* Nobody waits, nobody is ready. */
static void clear(void)
{
    there = back = (struct channel){0};
    for (int i = 0; i < MOST; i++)
        channels[i] = (struct channel){0};
    first = 0;
    last = &first;
}

static void figure(const char *name, void (*body)(void), long (*loop)(long))
{
    double best = 1e30;
    for (int i = 0; i < 5; i++) {
        clear();
        start(body);
        loop(1000);
        double begin = coroutine_now(CLOCK_MONOTONIC);
        if (loop(ROUNDS) != ROUNDS) {
            fputs("a message was lost\n", stderr);
            exit(1);
        }
        double took = coroutine_now(CLOCK_MONOTONIC) - begin;
        if (took < best)
            best = took;
    }
    printf("%s %.1f\n", name, best / ROUNDS);
}

int main(void)
{
    figure("pingpong", answer, pingpong);
    count = 2;
    figure("select2", send_in_turn, choosing);
    count = 8;
    figure("select8", send_in_turn, choosing);
    return 0;
}
