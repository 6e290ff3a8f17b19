/* C1: what a switch between two coroutines costs on this processor. `switch` is a function that saves what C's convention wants
   saved, as a library's is; `switch-inline` exchanges the stack pointers in place, and the compiler saves what lives. Both go on
   by a jump, which is foretold where a return would not be. Prints nanoseconds of processor time a switch. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "coroutine.h"

enum { ROUNDS = 10000000 };

static void *parent, *partner;

static void answer(void)
{
    for (;;)
        coroutine_call(&partner, parent);
}

static void answer_inline(void)
{
    for (;;)
        coroutine_switch(&partner, parent);
}

static void loop(long n)
{
    for (; n > 0; n--)
        coroutine_call(&parent, partner);
}

static void loop_inline(long n)
{
    for (; n > 0; n--)
        coroutine_switch(&parent, partner);
}

static void figure(const char *name, void *body, void (*loop)(long))
{
    double best = 1e30;
    partner = body;
    loop(1000);
    for (int i = 0; i < 3; i++) {
        double start = coroutine_now(CLOCK_PROCESS_CPUTIME_ID);
        loop(ROUNDS);
        double took = coroutine_now(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (took < best)
            best = took;
    }
    printf("%s %.2f\n", name, best / (2.0 * ROUNDS));
}

int main(void)
{
    figure("switch", coroutine_of_calls(answer), loop);
    figure("switch-inline", coroutine_new(answer_inline), loop_inline);
    return 0;
}
