#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <stdlib.h>

/* Two words of one kind and of both, two floats in a word, an int beside a float, three words. */
struct pair { int64_t a, b; };
struct mixed { double d; int8_t i; };
struct floats { float x, y; };
struct beside { int i; float f; };
struct large { double a; int32_t b; uint8_t c; double d; };
struct inner { int32_t a; uint8_t b; };
/* What lies behind the end of the inner one does not lie in it. */
struct outer { struct inner inner; uint8_t c; };

struct pair swap(struct pair p) { return (struct pair){ p.b, p.a }; }
struct mixed half(struct mixed m) { return (struct mixed){ m.d / 2, m.i / 2 }; }
struct floats turned(struct floats f) { return (struct floats){ -f.y, f.x }; }
struct beside next(struct beside b) { return (struct beside){ b.i + 1, b.f + 1 }; }
struct large more(int by, struct large l) { return (struct large){ l.a + by, l.b + by, l.c + by, l.d + by }; }
struct outer reversed(struct outer o) { return (struct outer){ { o.c, o.inner.b }, o.inner.a }; }

/* One integer register is left where two are wanted: the next argument has it. */
int64_t runs_out(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, struct pair p, int64_t f) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * p.a + 7 * p.b + 8 * f;
}

double sum(int n, ...) {
  va_list open;
  va_start(open, n);
  double s = 0;
  for (int i = 0; i < n; i++) {
    struct mixed m = va_arg(open, struct mixed);
    struct large l = va_arg(open, struct large);
    s += m.d + m.i + l.a + l.b + l.c + l.d;
  }
  va_end(open);
  return s;
}

/* Functions of SML that take and give structures; what has raised an exception gives zeros. */
int with_large(struct large (*f)(struct large, struct pair), int times) {
  struct large l = { 1, 2, 3, 4 };
  for (int i = 0; i < times; i++) {
    l = f(l, (struct pair){ i, 10 });
    if (l.a == 0 && l.b == 0 && l.c == 0 && l.d == 0) return -1;
  }
  return l.a + l.b + l.c + l.d;
}

int with_pair(struct pair (*f)(struct mixed)) {
  struct pair p = f((struct mixed){ 2.5, -3 });
  return p.a * 100 + p.b;
}

int with_mixed(struct mixed (*f)(struct floats)) {
  struct mixed m = f((struct floats){ 1.5, 2.5 });
  return m.d * 100 + m.i;
}

/* What lies between the fields. */
struct apart {
  int8_t a;
  int32_t b;
};

int between(struct apart s) {
  unsigned char bytes[8];
  memcpy(bytes, &s, 8);
  return bytes[1] | bytes[2] | bytes[3];
}

int64_t ones(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) { return a & b & c & d & e & f; }
