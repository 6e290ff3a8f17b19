// Goroutines that are parked, of which some wake: the longest time between two steps of another one.
// Arguments: goroutines; how many of them wake at a time; seconds. As many processors as GOMAXPROCS says.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

type list struct {
	n    int
	next *list
}

var answered atomic.Int64

func serve(box chan int) {
	var kept *list
	for length := 0; ; length++ {
		n := <-box
		answered.Add(1)
		if length == 3 {
			kept, length = nil, 0
		}
		kept = &list{n, kept}
	}
}

func main() {
	threads, _ := strconv.Atoi(os.Args[1])
	together, _ := strconv.Atoi(os.Args[2])
	seconds, _ := strconv.Atoi(os.Args[3])
	boxes := make([]chan int, threads)
	for i := range boxes {
		boxes[i] = make(chan int, 4)
		go serve(boxes[i])
	}
	runtime.Gosched()
	noted := newGaps()
	begin := time.Now()
	now := func() int64 { return int64(time.Since(begin)) }
	finish := now() + int64(seconds)*1000000000
	steps, random := 0, 42
	for last := now(); last < finish; steps++ {
		for n := together; n > 0; n-- {
			random = random * 16807 % 2147483647
			boxes[random%threads] <- n
		}
		var buffer *list
		for i := 0; i < 20; i++ {
			buffer = &list{i, buffer}
		}
		runtime.KeepAlive(buffer)
		runtime.Gosched()
		time := now()
		noted.note(time - last)
		last = time
	}
	noted.sayLongest(steps)
	fmt.Println("steps", steps/seconds)
	if answered.Load() == 0 {
		fmt.Println("nobody has answered")
	}
}
