// Goroutines that compute all the time, each with a table of small trees of its own, random ones of which are replaced:
// the longest time between two steps of one of them.
// Arguments: megabytes of live data, as Leat's objects have them; goroutines; seconds.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

type noted struct {
	gaps  *gaps
	steps int
	check int
}

func main() {
	megabytes, _ := strconv.Atoi(os.Args[1])
	threads, _ := strconv.Atoi(os.Args[2])
	seconds, _ := strconv.Atoi(os.Args[3])
	entries := megabytes * 1000000 / entryBytes / threads
	begin := time.Now()
	now := func() int64 { return int64(time.Since(begin)) }
	ready, done := make(chan bool, threads), make(chan noted, threads)
	start := make(chan int64, threads)
	compute := func(random int) {
		table := make([]*tree, entries)
		for i := range table {
			table[i] = build(4, i)
		}
		here := noted{gaps: newGaps()}
		ready <- true
		finish := <-start + int64(seconds)*1000000000
		for last := now(); last < finish; here.steps++ {
			random = random * 16807 % 2147483647
			at := random % entries
			here.check += table[at].sum()
			table[at] = build(4, random%1000)
			time := now()
			here.gaps.note(time - last)
			last = time
		}
		done <- here
	}
	for i := range threads {
		go compute(42 + i)
	}
	for range threads {
		<-ready
	}
	for range threads {
		start <- now()
	}
	all := noted{gaps: newGaps(), check: 1}
	for range threads {
		here := <-done
		all.gaps.add(here.gaps)
		all.steps += here.steps
		all.check *= min(here.check, 1)
	}
	all.gaps.sayLongest(all.steps)
	fmt.Println("above-1", all.gaps.above(1000))
	fmt.Println("above-5", all.gaps.above(5000))
	fmt.Println("steps", all.steps/seconds)
	if all.check == 0 {
		fmt.Println("nothing was summed")
	}
}
