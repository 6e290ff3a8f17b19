// A table of small trees, random ones of which are replaced all the time: the longest time between two steps.
// Arguments: megabytes of live data, as Leat's objects have them; seconds.
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

const entryBytes = 15*32 + 8

func main() {
	megabytes, _ := strconv.Atoi(os.Args[1])
	seconds, _ := strconv.Atoi(os.Args[2])
	entries := megabytes * 1000000 / entryBytes
	table := make([]*tree, entries)
	for i := range table {
		table[i] = build(4, i)
	}
	gaps := make([]int, 100001)
	var longest int64
	begin := time.Now()
	now := func() int64 { return int64(time.Since(begin)) }
	finish := now() + int64(seconds)*1000000000
	steps, check, random := 0, 0, 42
	for last := now(); last < finish; steps++ {
		random = random * 16807 % 2147483647
		at := random % entries
		check += table[at].sum()
		table[at] = build(4, random%1000)
		time := now()
		gap := time - last
		gaps[min(gap/1000, 100000)]++
		longest = max(longest, gap)
		last = time
	}
	quantile := 100000
	for left := steps / 10000; quantile > 0; quantile-- {
		if left -= gaps[quantile]; left < 0 {
			break
		}
	}
	above := func(from int) (n int) {
		for _, count := range gaps[from:] {
			n += count
		}
		return
	}
	fmt.Printf("longest %.3f\n", float64(longest)/1e6)
	fmt.Printf("p99.99 %.3f\n", float64(quantile)/1e3)
	fmt.Println("above-1", above(1000))
	fmt.Println("above-5", above(5000))
	fmt.Println("steps", steps/seconds)
	if check == 0 {
		fmt.Println("nothing was summed")
	}
}
