// Goroutines that are parked, all of which are woken, again and again, as woken.sml: the longest time in which nothing
// was done, neither a message sent nor a goroutine woken.
// Arguments: goroutines; seconds. As many processors as GOMAXPROCS says.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

type list struct {
	n    int
	next *list
}

var (
	answered atomic.Int64
	begin    = time.Now()
	lock     sync.Mutex
	gaps     = make([]int, 100001)
	last     int64
	longest  int64
	steps    int
)

func now() int64 { return int64(time.Since(begin)) }

func step() {
	lock.Lock()
	time := now()
	gap := time - last
	gaps[min(gap/1000, 100000)]++
	longest = max(longest, gap)
	last = time
	steps++
	lock.Unlock()
}

func serve(box chan int) {
	var kept *list
	for length := 0; ; length++ {
		n := <-box
		step()
		answered.Add(1)
		if length == 3 {
			kept, length = nil, 0
		}
		kept = &list{n, kept}
	}
}

func main() {
	threads, _ := strconv.Atoi(os.Args[1])
	seconds, _ := strconv.Atoi(os.Args[2])
	boxes := make([]chan int, threads)
	for i := range boxes {
		boxes[i] = make(chan int, 4)
		go serve(boxes[i])
	}
	runtime.Gosched()
	last = now()
	finish := last + int64(seconds)*1000000000
	for n := 0; now() < finish; n++ {
		answered.Store(0)
		for _, box := range boxes {
			box <- n
			step()
		}
		for answered.Load() < int64(threads) {
			runtime.Gosched()
		}
	}
	quantile := 100000
	for left := steps / 10000; quantile > 0; quantile-- {
		if left -= gaps[quantile]; left < 0 {
			break
		}
	}
	fmt.Printf("longest %.3f\n", float64(longest)/1e6)
	fmt.Printf("p99.99 %.3f\n", float64(quantile)/1e3)
	fmt.Println("steps", steps/seconds)
}
