// A9: goroutines that talk, beside N that compute (4); see fairness.sml. Prints nanoseconds.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

var stop atomic.Bool

// 1,000 steps.
func step(k uint64) uint64 {
	for range 1000 {
		k = (k*3 + 1) % 1000003
	}
	return k
}

func show(name string, times []float64) {
	slices.Sort(times)
	at := func(p int) float64 { return times[(len(times)-1)*p/100] }
	fmt.Printf("%s-p50 %.1f\n%s-p99 %.1f\n%s-most %.1f\n", name, at(50), name, at(99), name, at(100))
}

func timed(f func()) float64 {
	start := time.Now()
	f()
	return float64(time.Since(start).Nanoseconds())
}

func main() {
	computing := 4
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			computing = n
		}
	}
	// thousands of steps that each has done, and what it came to, so that it is computed
	steps, ends := make([]atomic.Uint64, computing+1), make([]uint64, computing+1)
	compute := func(i int) {
		k := uint64(1)
		for !stop.Load() {
			k = step(k)
			steps[i].Add(1)
		}
		ends[i] = k
	}
	// how many steps are done in a nanosecond while f runs
	rate := func(f func()) float64 {
		sum := func() (all float64) {
			for i := range steps {
				all += float64(steps[i].Load())
			}
			return
		}
		before, start := sum(), time.Now()
		f()
		return (sum() - before) / float64(time.Since(start).Nanoseconds())
	}
	// one of them, alone but for a goroutine that sleeps
	go compute(computing)
	time.Sleep(20 * time.Millisecond)
	alone := rate(func() { time.Sleep(200 * time.Millisecond) })
	stop.Store(true)
	time.Sleep(20 * time.Millisecond)
	stop.Store(false)
	for i := range computing {
		go compute(i)
	}
	time.Sleep(200 * time.Millisecond)
	there, back := make(chan int), make(chan int)
	go func() {
		for x := range there {
			back <- x
		}
	}()
	message := func() { there <- 1; <-back }
	messages := make([]float64, 1000)
	for i := range messages {
		messages[i] = timed(message)
	}
	show("message", messages)
	late := make([]float64, 200)
	for i := range late {
		late[i] = max(0, timed(func() { time.Sleep(10 * time.Millisecond) })-1e7)
	}
	show("late", late)
	finish := time.Now().Add(time.Second)
	each := rate(func() {
		for time.Now().Before(finish) {
			message()
		}
	}) / float64(computing)
	stop.Store(true)
	fmt.Printf("computes %.1f\n", 1000*each/alone*float64(computing+1))
}
