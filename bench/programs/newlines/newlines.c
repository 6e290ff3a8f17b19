/* A2 in C: reading the file, and the plain loop, which every way of counting is compared with. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static char *read_all(const char *name, long *size) {
    FILE *f = fopen(name, "rb");
    if (!f) exit(2);
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    char *text = malloc(*size);
    if (fread(text, 1, *size, f) != (size_t)*size) exit(2);
    fclose(f);
    return text;
}

__attribute__((noinline)) static long count(const char *text, long size) {
    long lines = 0;
    for (long i = size - 1; i >= 0; i--)
        if (text[i] == '\n') lines++;
    return lines;
}

int main(int argc, char **argv) {
    long size, least = -1, lines = 0;
    if (argc < 2) return 2;
    for (int i = 0; i < 20; i++) {
        long start = now();
        char *text = read_all(argv[1], &size);
        long took = now() - start;
        if (least < 0 || took < least) least = took;
        free(text);
    }
    printf("readall %ld\n", least);
    char *text = read_all(argv[1], &size);
    least = -1;
    for (int i = 0; i < 20; i++) {
        long start = now();
        lines = count(text, size);
        long took = now() - start;
        if (least < 0 || took < least) least = took;
    }
    printf("count %ld\n", lines == 10000 ? least : -1);
    return 0;
}
