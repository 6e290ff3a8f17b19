#include <stdint.h>
#include <stdbool.h>

/* Results whose upper bits are not those of the value: a caller may look at the lower ones only. */
int32_t int_result(int64_t x) { return (int32_t)x; }
uint32_t word_result(int64_t x) { return (uint32_t)x; }
int8_t i8(int8_t x) { return x - 1; }
int16_t i16(int16_t x) { return x - 1; }
int32_t i32(int32_t x) { return x - 1; }
int64_t i64(int64_t x) { return x - 1; }
uint8_t u8(uint8_t x) { return x - 1; }
uint16_t u16(uint16_t x) { return x - 1; }
uint32_t u32(uint32_t x) { return x - 1; }
uint64_t u64(uint64_t x) { return x - 1; }
float f32(float x) { return x / 3; }
double f64(double x) { return x / 3; }
int32_t truth(int32_t x) { return x ? 256 : 0; }
char next(char c) { return c + 1; }
int hash(const char *s, int n) { int h = 0; while (n-- > 0) h = h * 31 + *s++; return h; }
void nothing(void) {}

/* More than the registers hold, in any order. */
double many(int a, double b, int64_t c, float d, int e, int f, int g, int h, double i, double j, double k, double l,
            double m, double n, double o, int8_t p, float q, uint16_t r) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k + 12 * l + 13 * m + 14 * n
       + 15 * o + 16 * p + 17 * q + 18 * r;
}

void out(int32_t *i, uint8_t *w, double *d, float *f, int64_t *l, int32_t *b) {
  *i = -*i; *w = *w + 1; *d = *d * 2; *f = *f * 2; *l = -*l; *b = !*b;
}
void word_out(uint32_t *w) { *w = 0xffffffff; }

void sort(int32_t *a, int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && a[j - 1] > a[j]; j--) { int32_t t = a[j]; a[j] = a[j - 1]; a[j - 1] = t; }
}
double sum(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int64_t total(const int64_t *a, int n) { int64_t s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }

int32_t counter = 7;
double level = 1.5;
int32_t bump(void) { return ++counter; }
static int twice(int x) { return 2 * x; }
int (*doubler)(int) = twice;
void *self(void *p) { return p; }
