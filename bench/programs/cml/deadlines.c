/* Row A7 in C: a binary heap of deadlines, n of them live, each with its place in the heap, so that it can be taken out.
   Prints nanoseconds of taking one out and putting it in again with a deadline 100 s from now, in the order of the
   connections, as aborts.sml does with its time-outs: the best of three rounds.  usage: deadlines n */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct item {
    int64_t deadline;
    uint32_t connection;
};

static struct item *heap;
static uint32_t *place, live;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void put(uint32_t at, struct item item)
{
    heap[at] = item;
    place[item.connection] = at;
}

static void up(uint32_t at, struct item item)
{
    while (at > 0 && heap[(at - 1) / 2].deadline > item.deadline) {
        put(at, heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(at, item);
}

static void down(uint32_t at, struct item item)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= live)
            break;
        if (child + 1 < live && heap[child + 1].deadline < heap[child].deadline)
            child++;
        if (heap[child].deadline >= item.deadline)
            break;
        put(at, heap[child]);
        at = child;
    }
    put(at, item);
}

static void insert(uint32_t connection, int64_t deadline)
{
    up(live++, (struct item){deadline, connection});
}

static void removed(uint32_t connection)
{
    uint32_t at = place[connection];
    struct item last = heap[--live];
    if (at == live)
        return;
    if (at > 0 && heap[(at - 1) / 2].deadline > last.deadline)
        up(at, last);
    else
        down(at, last);
}

int main(int argc, char **argv)
{
    uint32_t n = atoi(argv[argc - 1]);
    int64_t least = INT64_MAX;
    heap = malloc(n * sizeof *heap);
    place = malloc(n * sizeof *place);
    for (uint32_t i = 0; i < n; i++)
        insert(i, now() + 100000000000ll);
    for (int round = 0; round < 3; round++) {
        int64_t begin = now();
        for (uint32_t i = 0; i < n; i++) {
            removed(i);
            insert(i, now() + 100000000000ll);
        }
        int64_t took = now() - begin;
        if (took < least)
            least = took;
    }
    printf("set-and-cancel %.1f\n", (double)least / n);
    return live == n ? 0 : 1;
}
