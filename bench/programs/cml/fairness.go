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
	n, k, start := 0.0, uint64(1), time.Now()
	for time.Since(start) < 200*time.Millisecond {
		k = step(k)
		n++
	}
	alone := n / float64(time.Since(start).Nanoseconds())
	steps := make([]atomic.Uint64, computing)
	for i := range computing {
		go func() {
			for k := k; !stop.Load(); steps[i].Add(1) {
				k = step(k)
			}
		}()
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
	sum := func() (all float64) {
		for i := range steps {
			all += float64(steps[i].Load())
		}
		return
	}
	before, start := sum(), time.Now()
	for time.Since(start) < time.Second {
		message()
	}
	rate := (sum() - before) / float64(time.Since(start).Nanoseconds()) / float64(computing)
	stop.Store(true)
	fmt.Printf("computes %.1f\n", 1000*rate/alone*float64(computing+1))
}
