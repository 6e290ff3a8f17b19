/* A3 in C by the same protocol: malloc and free of each cell; two runs, then one that is timed. usage: list N */
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

static void run(long n) {
    struct cell *l = build(n);
    if (length(l) != n) exit(2);
    drop(l);
}

int main(int argc, char **argv) {
    long n = atol(argv[argc - 1]);
    run(n);
    run(n);
    long start = now();
    run(n);
    printf("list %ld\n", now() - start);
    return 0;
}
