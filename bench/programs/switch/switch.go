// C1: two goroutines on one core that let each other run. Prints nanoseconds a switch.
package main

import (
	"fmt"
	"runtime"
	"time"
)

const rounds = 5_000_000

func measure() float64 {
	stop := false
	go func() {
		for !stop {
			runtime.Gosched()
		}
	}()
	start := time.Now()
	for n := 0; n < rounds; n++ {
		runtime.Gosched()
	}
	took := float64(time.Since(start).Nanoseconds())
	stop = true
	runtime.Gosched()
	return took
}

func main() {
	runtime.GOMAXPROCS(1)
	best := measure()
	for i := 0; i < 2; i++ {
		best = min(best, measure())
	}
	fmt.Printf("yield %.2f\n", best/(2*rounds))
}
