/* Row A9 in C: a program that does nothing but look at the clock, for 200 deadlines that are 10 ms apart. It is late by what
   the machine takes from it, and no program on the machine can do better. Prints, in nanoseconds, the median, the 99th
   percentile and the worst.  usage: watch */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DEADLINES = 200 };

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    int64_t late[DEADLINES];
    for (int i = 0; i < DEADLINES; i++) {
        int64_t deadline = now() + 10000000, t;
        while ((t = now()) < deadline)
            ;
        late[i] = t - deadline;
    }
    qsort(late, DEADLINES, sizeof late[0], by_size);
    printf("late-p50 %lld\nlate-p99 %lld\nlate-most %lld\n", (long long)late[DEADLINES / 2],
           (long long)late[DEADLINES - 1 - DEADLINES / 100], (long long)late[DEADLINES - 1]);
    return 0;
}
