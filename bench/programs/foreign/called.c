/* What is called. */
#include <stdint.h>
#include <unistd.h>
int64_t same(int64_t x) { return x; }
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }
int64_t nap(int64_t microseconds) { usleep(microseconds); return 1; }
