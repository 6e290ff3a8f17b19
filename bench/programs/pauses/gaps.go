// Times between steps, as gaps.sml: how long they are, and the longest.
// The programs of this folder are built with this file and trees.go.
package main

import "fmt"

// What one goroutine has noted: gaps by microseconds, where the last element has all that are longer; and the longest.
type gaps struct {
	counts  []int
	longest int64
}

func newGaps() *gaps { return &gaps{counts: make([]int, 100001)} }

func (g *gaps) note(gap int64) {
	g.counts[min(gap/1000, 100000)]++
	g.longest = max(g.longest, gap)
}

// add adds what another one has noted.
func (g *gaps) add(other *gaps) {
	for i, n := range other.counts {
		g.counts[i] += n
	}
	g.longest = max(g.longest, other.longest)
}

// quantile is at least as many microseconds as all but so many gaps had.
func (g *gaps) quantile(left int) int {
	for i := 100000; i > 0; i-- {
		if left -= g.counts[i]; left < 0 {
			return i
		}
	}
	return 0
}

func (g *gaps) above(microseconds int) (n int) {
	for _, count := range g.counts[microseconds:] {
		n += count
	}
	return
}

func (g *gaps) sayLongest(steps int) {
	fmt.Printf("longest %.3f\n", float64(g.longest)/1e6)
	fmt.Printf("p99.99 %.3f\n", float64(g.quantile(steps/10000))/1e3)
}
