/* The library that kinds.h declares. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kinds.h"

int kinds_calls = 0;
const double kinds_half = 0.5;
kinds_point kinds_origin = {1, 2};
const char kinds_name[] = "kinds";

struct kinds_opaque { char name[20]; int size; };

kinds_opaque *kinds_open(const char *name, int size) {
  kinds_opaque *it = malloc(sizeof *it);
  snprintf(it->name, sizeof it->name, "%s", name);
  it->size = size;
  kinds_calls++;
  return it;
}
void kinds_close(kinds_opaque *it) { free(it); }
int kinds_name_of(const kinds_opaque *it, char *buffer, size_t size) { return snprintf(buffer, size, "%s", it->name) + it->size; }
static int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void note(void *data, const char *text, bool last) { *(int *)data += strlen(text) + last; }
void kinds_fill(struct kinds_all *all) {
  static kinds_point far = {8, 9};
  memset(all, 0, sizeof *all);
  all->c = 'c'; all->i8 = -8; all->u8 = 200; all->i16 = -16; all->u16 = 60000; all->i32 = -32; all->u32 = 4000000000u;
  all->i64 = -64; all->u64 = 1ul << 63; all->f32 = 0.25; all->f64 = 0.125; all->yes = true; all->way = KINDS_BACK;
  *(int *)&all->fixed = 77;
  all->wide = KINDS_TOP; all->text = "text"; all->to = &far; all->at = (kinds_point){3, 4};
  all->corners[1] = (kinds_point){5, 6}; all->numbers[2] = 12; all->low = 5; all->high = -3; all->flag = 1;
  all->many = 1ull << 39; all->as_int = 1; all->choice.whole = 42; all->compare = less; all->note = note; all->next = all;
}
bool kinds_not(bool b) { return !b; }
unsigned char kinds_small(unsigned char a, short b) { return a + b; }
float kinds_mean(float a, float b) { return (a + b) / 2; }
int kinds_divide(int a, int b, int *rest) { *rest = a % b; return a / b; }
double kinds_sum(const double *numbers, size_t count) { double s = 0; while (count-- > 0) s += numbers[count]; return s; }
void kinds_square(double *numbers, size_t count) { while (count-- > 0) numbers[count] *= numbers[count]; }
int64_t kinds_bytes(const void *data, size_t count) { int64_t s = 0; while (count-- > 0) s += ((const uint8_t *)data)[count]; return s; }
kinds_way kinds_turn(kinds_way way) { return way == KINDS_LEFT ? KINDS_RIGHT : KINDS_LEFT; }
enum kinds_wide kinds_same(enum kinds_wide wide) { return wide; }
void kinds_each(int count, kinds_note note, void *data) { while (count-- > 0) note(data, "note", count == 0); }
int kinds_apply(int (*f)(int), int x) { return f(x) + 1; }
kinds_note kinds_noter(void) { return note; }
int kinds_set(FILE *file, int corners[2]) { return file == NULL ? corners[1] : 0; }
int kinds_fail(int code) { errno = code; return -1; }
int kinds_total(int count, ...) {
  va_list list;
  va_start(list, count);
  int sum = kinds_vtotal(count, list);
  va_end(list);
  return sum;
}
int kinds_vtotal(int count, va_list list) { int s = 0; while (count-- > 0) s += va_arg(list, int); return s; }
kinds_point kinds_add(kinds_point a, kinds_point b) { return (kinds_point){a.x + b.x, a.y + b.y}; }
struct kinds_all kinds_copy(struct kinds_all all) { all.i32++; return all; }
kinds_either kinds_pick(kinds_either either, int which) {
  kinds_either result = {0};
  if (which) result.letters[0] = either.letters[1]; else result.number = either.number;
  return result;
}
kinds_point kinds_moved(kinds_move move, kinds_point at) { return kinds_add(move(false, at, 2), move(true, at, 1)); }
static kinds_point move(bool back, kinds_point at, int32_t times) {
  double by = back ? -times : times;
  return (kinds_point){at.x + by, at.y + by};
}
kinds_move kinds_mover(void) { return move; }
double kinds_measured(double (*length)(kinds_point at), double x, double y) { return length((kinds_point){x, y}); }
kinds_point kinds_made(kinds_point (*make)(int32_t seed)) { return make(7); }
int kinds_chosen(int (*choose)(kinds_either either)) { return choose == NULL ? -5 : choose((kinds_either){.number = 3}); }
int __kinds_renamed(int x) { return 3 * x; }
int val(int type) { return type - 1; }
int mod(int a, int b) { return a / b; }
int kinds_more(void) { return 11; }
int kinds_part_of(kinds_part *part) { return part->a; }
