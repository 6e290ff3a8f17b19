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

type tree struct {
	left  *tree
	n     int
	right *tree
}

func build(depth, n int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{build(depth-1, 2*n), n, build(depth-1, 2*n+1)}
}

func (t *tree) sum() int {
	if t == nil {
		return 0
	}
	return t.left.sum() + t.n + t.right.sum()
}

type noted struct {
	gaps    []int
	longest int64
	steps   int
	check   int
}

const entryBytes = 15*32 + 8

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
		here := noted{gaps: make([]int, 100001)}
		ready <- true
		finish := <-start + int64(seconds)*1000000000
		for last := now(); last < finish; here.steps++ {
			random = random * 16807 % 2147483647
			at := random % entries
			here.check += table[at].sum()
			table[at] = build(4, random%1000)
			time := now()
			gap := time - last
			here.gaps[min(gap/1000, 100000)]++
			here.longest = max(here.longest, gap)
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
	all := noted{gaps: make([]int, 100001), check: 1}
	for range threads {
		here := <-done
		for i, n := range here.gaps {
			all.gaps[i] += n
		}
		all.longest = max(all.longest, here.longest)
		all.steps += here.steps
		all.check *= min(here.check, 1)
	}
	quantile := 100000
	for left := all.steps / 10000; quantile > 0; quantile-- {
		if left -= all.gaps[quantile]; left < 0 {
			break
		}
	}
	above := func(from int) (n int) {
		for _, count := range all.gaps[from:] {
			n += count
		}
		return
	}
	fmt.Printf("longest %.3f\n", float64(all.longest)/1e6)
	fmt.Printf("p99.99 %.3f\n", float64(quantile)/1e3)
	fmt.Println("above-1", above(1000))
	fmt.Println("above-5", above(5000))
	fmt.Println("steps", all.steps/seconds)
	if all.check == 0 {
		fmt.Println("nothing was summed")
	}
}
