/* The same calls from C. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int64_t same(int64_t x);
int64_t apply(int64_t (*f)(int64_t), int64_t x);
int64_t nap(int64_t microseconds);
static int64_t next(int64_t x) { return x + 1; }
static int64_t by_callback(int64_t x) { return apply(next, x); }
static int64_t blocked(int64_t x) { (void)x; return nap(50); }
static void timed(const char *name, long count, int64_t (*f)(int64_t)) {
  struct timespec a, b;
  volatile int64_t sum = 0;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (long i = count; i > 0; i--) sum += f(i);
  clock_gettime(CLOCK_MONOTONIC, &b);
  printf("%s %.1f\n", name, ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count);
}
int main(int argc, char **argv) {
  long n = argc > 1 ? atol(argv[1]) : 1000000;
  timed("direct", n, same);
  timed("callback", n / 10, by_callback);
  timed("blocked", n / 10000, blocked);
  return 0;
}
