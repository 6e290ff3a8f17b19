// Row A4 with Go, as senders.sml: n receivers, each on a channel of its own, and n senders that sleep until the same moment.
// usage: GOMAXPROCS=1 senders n
package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"
)

func percentile(percent int, values []int64) int64 {
	slices.Sort(values)
	return values[min(len(values)*percent/100, len(values)-1)]
}

func main() {
	n, err := strconv.Atoi(os.Args[len(os.Args)-1])
	if err != nil {
		panic(err)
	}
	arrival, delay := make([]int64, 0, n), make([]int64, n)
	each := make([]int64, 0, 2*n)
	done := make(chan bool)
	blocked, early := 0, 0
	begin := time.Now()
	moment := 300*time.Millisecond + time.Duration(n)*3*time.Microsecond
	receiver := func(i int, input chan time.Duration) {
		blocked++
		sent := <-input
		now := time.Since(begin)
		arrival = append(arrival, int64(now))
		delay[i] = int64(now - sent)
		if len(arrival) == n {
			done <- true
		}
	}
	sender := func(output chan time.Duration) {
		blocked++
		time.Sleep(moment - time.Since(begin))
		now := time.Since(begin)
		if now < moment {
			early++
		}
		output <- now
	}
	first := time.Since(begin)
	last := first
	next := func() {
		now := time.Since(begin)
		each = append(each, int64(now-last))
		last = now
	}
	for i := range n {
		channel := make(chan time.Duration)
		go receiver(i, channel)
		next()
		go sender(channel)
		next()
	}
	// `go` only puts a goroutine into a queue.
	for blocked < 2*n {
		runtime.Gosched()
	}
	all := time.Since(begin) - first
	<-done
	fmt.Println("delay-p50", percentile(50, delay))
	fmt.Printf("interval %.1f\n", float64(slices.Max(arrival)-slices.Min(arrival))/float64(n))
	fmt.Printf("spawn-mean %.1f\n", float64(all)/float64(2*n))
	fmt.Println("spawn-p99", percentile(99, each))
	fmt.Println("early", early)
}
