// The same calls by cgo.
package main

/*
#include <stdint.h>
#include <unistd.h>
static int64_t same(int64_t x) { return x; }
static int64_t nap(int64_t microseconds) { usleep(microseconds); return 1; }
int64_t next(int64_t);
static int64_t apply(int64_t x) { return next(x); }
*/
import "C"

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

//export next
func next(x C.int64_t) C.int64_t { return x + 1 }

func timed(name string, count int, f func(C.int64_t) C.int64_t) {
	start := time.Now()
	var sum C.int64_t
	for i := count; i > 0; i-- {
		sum += f(C.int64_t(i))
	}
	if sum == 0 {
		panic("the sum")
	}
	fmt.Printf("%s %.1f\n", name, float64(time.Since(start).Nanoseconds())/float64(count))
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	timed("plain", n, func(x C.int64_t) C.int64_t { return C.same(x) })
	timed("callback", n/10, func(x C.int64_t) C.int64_t { return C.apply(x) })
	timed("blocked", n/10000, func(x C.int64_t) C.int64_t { return C.nap(50) })
}
