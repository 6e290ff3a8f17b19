/* Each kind of declaration that a header may have. */
#ifndef KINDS_H
#define KINDS_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "kinds/more.h"

#define KINDS_VERSION "1.2 \"x\"\n"
#define KINDS_LIMIT (4 * 25)
#define KINDS_LOWEST (-9223372036854775807LL - 1)
#define KINDS_MASK 0xffff0000u
#define KINDS_HUGE 18446744073709551615ULL
#define KINDS_RATIO -1.5e-3
#define KINDS_LETTER 'a'
#define KINDS_STATIC ((void (*)(void *)) -1)
#define KINDS_INFINITE 1e400
#define KINDS_ZERO_BYTE "a\0b"
#define KINDS_WIDE_TEXT L"wide"
#define KINDS_EMPTY
#define KINDS_BLOCK { 1, 2 }
#define KINDS_TWICE(x) (2 * (x))
/* What SML reserves. */
#define end 7
#define SOME 8

/** Which way to go. */
typedef enum { KINDS_LEFT, /**< not right */ KINDS_RIGHT = 5, KINDS_BACK = -1 } kinds_way;
enum kinds_wide { KINDS_TOP = 0x80000000 };

/** A point (*of* a plane). */
typedef struct kinds_point {
  double x; /**< to the right */
  double y;
} kinds_point;

/** Takes notes of what happens. */
typedef void (*kinds_note)(void *data, const char *text, bool last);

struct kinds_all {
  char c;
  signed char i8;
  unsigned char u8;
  short i16;
  unsigned short u16;
  int i32;
  unsigned u32;
  long i64;
  unsigned long u64;
  float f32;
  double f64;
  bool yes;
  const int fixed;
  kinds_way way;
  enum kinds_wide wide;
  const char *text;
  kinds_point *to;
  kinds_point at;
  kinds_point corners[2];
  int numbers[3];
  unsigned low : 3;
  signed high : 5;
  bool flag : 1;
  unsigned long long many : 40;
  union { int as_int; float as_float; };
  union { char bytes[8]; uint64_t whole; } choice;
  int (*compare)(const void *, const void *);
  kinds_note note;
  struct kinds_all *next;
  long double extended;
};

typedef union { int32_t number; char letters[4]; } kinds_either;

struct kinds_opaque;
typedef struct kinds_opaque kinds_opaque;

/** How often it was called. */
extern int kinds_calls;
extern const double kinds_half;
extern kinds_point kinds_origin;
extern const char kinds_name[];

/**
 * Makes one.
 *
 * It is ended by kinds_close.
 */
kinds_opaque *kinds_open(const char *name, int size);
void kinds_close(kinds_opaque *);
int kinds_name_of(const kinds_opaque *it, char *buffer, size_t size);
void kinds_fill(struct kinds_all *all);
bool kinds_not(bool b);
unsigned char kinds_small(unsigned char a, short b);
float kinds_mean(float a, float b);
int kinds_divide(int a, int b, int *rest);
double kinds_sum(const double *numbers, size_t count);
void kinds_square(double *numbers, size_t count);
int64_t kinds_bytes(const void *data, size_t count);
kinds_way kinds_turn(kinds_way way);
enum kinds_wide kinds_same(enum kinds_wide wide);
void kinds_each(int count, kinds_note note, void *data);
int kinds_apply(int (*f)(int), int x);
kinds_note kinds_noter(void);
int kinds_set(FILE *file, int corners[2]);
int kinds_fail(int code);
int kinds_total(int count, ...);
int kinds_vtotal(int count, va_list list);
long double kinds_long(long double x);

/* By value: in registers, in memory, and one of both. */
kinds_point kinds_add(kinds_point a, kinds_point b);
struct kinds_all kinds_copy(struct kinds_all all);
kinds_either kinds_pick(kinds_either either, int which);

/* Callbacks that have them by value: as the only parameter, as the result, and one that no tuple is. */
/** Where a point goes. */
typedef kinds_point (*kinds_move)(bool back, kinds_point at, int32_t times);
kinds_point kinds_moved(kinds_move move, kinds_point at);
kinds_move kinds_mover(void);
double kinds_measured(double (*length)(kinds_point at), double x, double y);
kinds_point kinds_made(kinds_point (*make)(int32_t seed));
int kinds_chosen(int (*choose)(kinds_either either));
static inline int kinds_inline(const char *text, bool more) { return text[0] + more; }
inline int kinds_plain_inline(int x) { return x + 1; }
/* The functions are bound: the glue had called the macros. */
static inline int kinds_both(int x) { return x + 1; }
#define kinds_both(x) (100 + (x))
static inline int kinds_other(int x) { return x + 2; }
#define kinds_other kinds_no_function
static int kinds_hidden(int x);
void _kinds_private(void);

int __kinds_renamed(int x);
#define kinds_new_name __kinds_renamed

/* Names that SML reserves, and operators. */
int val(int type);
int mod(int a, int b);
int _3d(int x);
#endif
