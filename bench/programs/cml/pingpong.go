// A8: a message to a goroutine and one back; and a message on one of two, of eight channels that a goroutine selects among, in
// turn. On one core. Prints nanoseconds.
package main

import (
	"fmt"
	"runtime"
	"time"
)

const rounds = 1_000_000

func timed(warm, f func()) float64 {
	warm()
	start := time.Now()
	f()
	return float64(time.Since(start).Nanoseconds()) / rounds
}

func pingpong() float64 {
	there, back := make(chan int), make(chan int)
	go func() {
		for x := range there {
			back <- x + 1
		}
	}()
	loop := func(n int) int {
		x := 0
		for ; n > 0; n-- {
			there <- x
			x = <-back
		}
		return x
	}
	defer close(there)
	return timed(func() { loop(1000) }, func() {
		if loop(rounds) != rounds {
			panic("a message was lost")
		}
	})
}

// One goroutine sends on the channels in turn, and is left blocked in the end; `next` selects one message of them.
func choosing(channels []chan int, next func() int) float64 {
	go func() {
		for {
			for _, ch := range channels {
				ch <- 1
			}
		}
	}()
	loop := func(n int) int {
		sum := 0
		for ; n > 0; n-- {
			sum += next()
		}
		return sum
	}
	return timed(func() { loop(1000) }, func() {
		if loop(rounds) != rounds {
			panic("a message was lost")
		}
	})
}

func make8() (c [8]chan int) {
	for i := range c {
		c[i] = make(chan int)
	}
	return c
}

func select2() float64 {
	c := make8()
	a, b := c[0], c[1]
	return choosing(c[:2], func() int {
		select {
		case x := <-a:
			return x
		case x := <-b:
			return x
		}
	})
}

func select8() float64 {
	c := make8()
	c0, c1, c2, c3, c4, c5, c6, c7 := c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]
	return choosing(c[:], func() int {
		select {
		case x := <-c0:
			return x
		case x := <-c1:
			return x
		case x := <-c2:
			return x
		case x := <-c3:
			return x
		case x := <-c4:
			return x
		case x := <-c5:
			return x
		case x := <-c6:
			return x
		case x := <-c7:
			return x
		}
	})
}

func figure(name string, f func() float64) {
	best := f()
	for i := 1; i < 5; i++ {
		best = min(best, f())
	}
	fmt.Printf("%s %.1f\n", name, best)
}

func main() {
	runtime.GOMAXPROCS(1)
	figure("pingpong", pingpong)
	figure("select2", select2)
	figure("select8", select8)
}
