// A1: counting down and up. usage: loops N. Prints the best of five, in nanoseconds.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

//go:noinline
func countdown(n int) int {
	for n != 0 {
		n--
	}
	return n
}

//go:noinline
func countup(count int) int {
	n := 0
	for n != count {
		n++
	}
	return n
}

// What a panic in f gives instead, as in a dispatcher.
func handled(f func(int) int) func(int) int {
	return func(n int) (result int) {
		defer func() {
			if recover() != nil {
				result = -1
			}
		}()
		return f(n)
	}
}

func best(name string, f func(int) int, n int) {
	least := time.Hour
	for range 5 {
		start := time.Now()
		f(n)
		least = min(least, time.Since(start))
	}
	fmt.Println(name, least.Nanoseconds())
}

func main() {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	best("countdown", countdown, n)
	best("countup", countup, n)
	best("countdown-handled", handled(countdown), n)
	best("countup-handled", handled(countup), n)
}
