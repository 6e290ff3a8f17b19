/* A1 in C: the empty asm keeps the loop, which a compiler would otherwise compute away. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long countdown(long n) {
    while (n != 0) {
        n = n - 1;
        __asm__ volatile("" : "+r"(n));
    }
    return n;
}

static long countup(long max) {
    long n = 0;
    while (n != max) {
        n = n + 1;
        __asm__ volatile("" : "+r"(n));
    }
    return n;
}

static void best(const char *name, long (*f)(long), long count) {
    long least = -1;
    for (int i = 0; i < 5; i++) {
        long start = now();
        f(count);
        long took = now() - start;
        if (least < 0 || took < least) least = took;
    }
    printf("%s %ld\n", name, least);
}

int main(int argc, char **argv) {
    long count = argc > 1 ? atol(argv[1]) : 100000000;
    best("countdown", countdown, count);
    best("countup", countup, count);
    /* C has no handlers: the same loops once more. */
    best("countdown-handled", countdown, count);
    best("countup-handled", countup, count);
    return 0;
}
