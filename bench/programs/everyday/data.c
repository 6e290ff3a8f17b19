/* The files that the everyday programs read: `data text 1000 FILE` writes a thousand lines. Kinds are text, csv, json and
   log; the same numbers give the same bytes everywhere. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 42;

/* Park and Miller's numbers. */
static unsigned next(unsigned below) {
    state = state * 16807 % 2147483647;
    return (unsigned)(state % below);
}

#define WORDS 20000
static char words[WORDS][16];

static void make_words(void) {
    static const char *parts[] = {"ka", "to", "mi", "ren", "sol", "a", "ne", "bur", "li", "est", "or", "vi", "da", "pel", "un", "so"};
    for (int i = 0; i < WORDS; i++) {
        int count = 1 + (int)next(4);
        for (int k = 0; k < count; k++) strcat(words[i], parts[next(16)]);
    }
}

/* Some words are frequent and most are rare. */
static const char *word(void) {
    double u = (double)next(1000000) / 1e6;
    return words[(int)(u * u * u * WORDS)];
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const char *kind = argv[1];
    long lines = atol(argv[2]);
    FILE *out = fopen(argv[3], "w");
    if (!out) return 1;
    make_words();
    int is_text = !strcmp(kind, "text"), is_csv = !strcmp(kind, "csv"), is_json = !strcmp(kind, "json"), is_log = !strcmp(kind, "log");
    if (!(is_text || is_csv || is_json || is_log)) return 2;
    if (is_csv) fputs("id,name,city,amount,count\n", out);
    for (long i = 0; i < lines; i++) {
        /* Arguments of a call are evaluated in any order, so the numbers are taken before it. */
        const char *w[4];
        unsigned n[8];
        for (int k = 0; k < 4; k++) w[k] = word();
        for (int k = 0; k < 8; k++) n[k] = next(1000000);
        if (is_text) {
            int count = 6 + (int)(n[0] % 9);
            for (int k = 0; k < count; k++) fprintf(out, "%s%s", k ? " " : "", word());
            fputs(n[1] % 10 ? "\n" : ".\n", out);
        } else if (is_csv) {
            fprintf(out, "%ld,%s,city%u,%u.%02u,%u\n", i, w[0], n[0] % 100, n[1] % 10000, n[2] % 100, n[3] % 50);
        } else if (is_json) {
            fprintf(out, "%s\n{\"id\":%ld,\"name\":\"%s \\\"%s\\\"\",\"tags\":[\"%s\",\"%s\"],", i ? "," : "[", i, w[0], w[1], w[2], w[3]);
            fprintf(out, "\"price\":%u.%u,\"stock\":%u,", n[0] % 1000, 1 + n[1] % 9, n[2] % 500);
            fprintf(out, "\"sold\":%s,\"box\":{\"w\":%u,\"h\":%u,\"note\":null}}", n[3] % 2 ? "true" : "false", n[4] % 90, n[5] % 90);
        } else {
            static const char *level[] = {"INFO", "WARN", "ERROR", "DEBUG"};
            fprintf(out, "2026-%02u-%02u %02u:%02u:%02u ", 1 + n[0] % 12, 1 + n[1] % 28, n[2] % 24, n[3] % 60, n[3] / 60 % 60);
            fprintf(out, "%s %s: from 10.%u.%u.%u took %u ms\n", level[n[4] % 4], w[0], n[5] % 256, n[5] / 256 % 256, n[6] % 256, n[7] % 5000);
        }
    }
    if (is_json) fputs("\n]\n", out);
    return fclose(out) != 0;
}
