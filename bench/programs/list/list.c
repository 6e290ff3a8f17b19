/* A3 in C: malloc and free of each cell. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct cell { long head; struct cell *tail; };

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

__attribute__((noinline)) static struct cell *build(long n) {
    struct cell *l = 0;
    while (n > 0) {
        struct cell *c = malloc(sizeof *c);
        c->head = n--;
        c->tail = l;
        l = c;
    }
    return l;
}

__attribute__((noinline)) static long length(struct cell *l) {
    long n = 0;
    for (; l; l = l->tail) n++;
    return n;
}

__attribute__((noinline)) static void drop(struct cell *l) {
    while (l) {
        struct cell *next = l->tail;
        free(l);
        l = next;
    }
}

static long run(long n) {
    long start = now();
    struct cell *l = build(n);
    if (length(l) != n) exit(2);
    drop(l);
    return now() - start;
}

int main(void) {
    static const long sizes[] = {50000, 100000, 200000, 500000, 1000000};
    for (int i = 0; i < 5; i++) {
        long least = -1;
        run(sizes[i]);
        run(sizes[i]);
        for (int k = 0; k < 9; k++) {
            long took = run(sizes[i]);
            if (least < 0 || took < least) least = took;
        }
        printf("list%ld %ld\n", sizes[i], least);
    }
    return 0;
}
