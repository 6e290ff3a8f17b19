#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Exported by callbacks.sml. */
int32_t sml_add(int32_t, int32_t);
void sml_note(void);
double sml_many(int8_t a, double b, int64_t c, float d, int e, int f, uint16_t g, int h, double i, double j, double k, double l,
                double m, double n, double o, int8_t p, float q, uint32_t r, void *s, int64_t t);

int sums(int n) {
  int sum = 0;
  for (int i = 1; i <= n; i++) sum = sml_add(sum, i);
  sml_note();
  return sum;
}

double call_many(void) {
  int here = 7;
  return sml_many(-1, 2.5, 3, 4.5f, 5, 6, 7, -8, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, -16, 17.5f, 18, &here, INT64_MIN);
}

int apply(int (*f)(int), int n) { return f(n) + 1; }

float apply_float(float (*f)(float, double), float x) { return f(x, 0.5) * 2; }

uint8_t apply_small(uint8_t (*f)(int8_t, uint16_t, char), int8_t a) { return f(a, 65535, 'z'); }

/* Registers that C keeps, over a call. */
int64_t keeps(int64_t (*f)(int64_t), int64_t n) {
  int64_t a = n * 3, b = n * 5, c = n * 7, d = n * 11, e = n * 13, g = n * 17;
  double x = n * 0.5;
  for (int i = 0; i < 10; i++) {
    a += f(b) & 1, b += f(c) & 1, c += f(d) & 1, d += f(e) & 1, e += f(g) & 1, g += f(a) & 1;
    x += 1;
  }
  return a + b + c + d + e + g + (int64_t)x;
}

/* Doubles the elements while SML may collect, and tells of each by its place. */
int change(double *numbers, int n, const char *text, int *count, int (*tell)(int)) {
  for (int i = 0; i < n; i++) {
    numbers[i] *= 2;
    *count += tell(i) + (int)strlen(text);
  }
  return n;
}

/* OS threads of C's own call. */
static int (*other)(int);
static void *run(void *arg) {
  intptr_t sum = 0;
  for (int i = 0; i < 20; i++) sum += other((int)(intptr_t)arg + i);
  return (void *)sum;
}

int in_threads(int (*f)(int)) {
  pthread_t threads[3];
  int sum = 0;
  other = f;
  for (intptr_t i = 0; i < 3; i++) pthread_create(&threads[i], 0, run, (void *)(100 * i));
  for (int i = 0; i < 3; i++) {
    void *result;
    pthread_join(threads[i], &result);
    sum += (int)(intptr_t)result;
  }
  return sum;
}
