/* What calls.ml calls where C must know of OCaml's values. */
#include <caml/alloc.h>
#include <caml/callback.h>
#include <caml/mlvalues.h>
#include <caml/threads.h>
#include <stdint.h>
int64_t same(int64_t x);
int64_t apply(int64_t (*f)(int64_t), int64_t x);
int64_t nap(int64_t microseconds);
static value closure;
static int64_t call_back(int64_t x) { return Int64_val(caml_callback(closure, caml_copy_int64(x))); }
value calls_same(value x) { return caml_copy_int64(same(Int64_val(x))); }
value calls_apply(value f, value x) {
  closure = f;
  return caml_copy_int64(apply(call_back, Int64_val(x)));
}
value calls_nap(value x) {
  int64_t microseconds = Int64_val(x);
  caml_release_runtime_system();
  int64_t result = nap(microseconds);
  caml_acquire_runtime_system();
  return caml_copy_int64(result);
}
