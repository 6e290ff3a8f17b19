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
	noted    = newGaps()
	last     int64
	steps    int
)

func now() int64 { return int64(time.Since(begin)) }

func step() {
	lock.Lock()
	time := now()
	noted.note(time - last)
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
	noted.sayLongest(steps)
	fmt.Println("steps", steps/seconds)
}
