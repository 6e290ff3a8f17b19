// Row A5 with Go, as timeouts.sml: n goroutines, each on a sleep of its own. usage: GOMAXPROCS=1 timeouts n
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
	each, late := make([]int64, 0, n), make([]int64, 0, n)
	done := make(chan bool)
	asleep, early, disorder, before := 0, 0, 0, -1
	begin := time.Now()
	earliest := 300*time.Millisecond + time.Duration(n)*2*time.Microsecond
	sleeper := func(i int, deadline time.Duration) {
		asleep++
		time.Sleep(deadline - time.Since(begin))
		lateness := time.Since(begin) - deadline
		if lateness < 0 {
			early++
		}
		if i < before {
			disorder++
		}
		before = i
		late = append(late, int64(lateness))
		if len(late) == n {
			done <- true
		}
	}
	first := time.Since(begin)
	last := first
	for i := range n {
		go sleeper(i, earliest+time.Duration(i)*time.Microsecond)
		now := time.Since(begin)
		each = append(each, int64(now-last))
		last = now
	}
	// `go` only puts a goroutine into a queue.
	for asleep < n {
		runtime.Gosched()
	}
	all := time.Since(begin) - first
	<-done
	fmt.Printf("spawn-mean %.1f\n", float64(all)/float64(n))
	fmt.Println("spawn-p99", percentile(99, each))
	fmt.Println("early", early)
	fmt.Println("disorder", disorder)
	fmt.Printf("late-p99-us %.1f\n", float64(percentile(99, late))/1000)
}
