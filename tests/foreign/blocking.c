#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* Waits until another call has opened it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int is_open;

int pass(int n) {
  pthread_mutex_lock(&lock);
  while (!is_open) pthread_cond_wait(&change, &lock);
  pthread_mutex_unlock(&lock);
  return n + 1;
}

void open_gate(void) {
  pthread_mutex_lock(&lock);
  is_open = 1;
  pthread_cond_broadcast(&change);
  pthread_mutex_unlock(&lock);
}

/* More arguments than registers of both kinds. */
double many(int8_t a, double b, int64_t c, float d, int e, int f, uint16_t g, int h, double i, double j, double k, double l,
            double m, double n, double o, int8_t p, float q, uint32_t r) {
  return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8 + i * 9 + j * 10 + k * 11 + l * 12 + m * 13 + n * 14 + o * 15
         + p * 16 + q * 17 + r * 18;
}

/* All that C can be given: what it changes comes back, after a while in which the collector has run. */
int64_t change_all(const char *text, int length, double *numbers, int count, int *i, uint8_t *w, float *f, double *d) {
  usleep(2000);
  int64_t sum = 0;
  for (int k = 0; k < length; k++) sum += text[k];
  for (int k = 0; k < count; k++) numbers[k] *= 2;
  *i = -*i;
  *w += 1;
  *f /= 2;
  *d += 0.5;
  return sum;
}

int fails(int code) {
  usleep(1000);
  errno = code;
  return -1;
}

int8_t small(int8_t n) { return n - 1; }
float half(float x) { return x / 2; }
int truth(int x) { return x ? 0 : 256; }
static int times(int n) { return n * 3; }
int (*timer)(int) = times;

/* As much stack as libraries want. */
int deep(int n) {
  volatile char room[600000];
  memset((void *)room, n, sizeof room);
  return room[n] + room[599999];
}
