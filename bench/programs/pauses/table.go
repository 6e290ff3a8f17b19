// A table of small trees, random ones of which are replaced all the time: the longest time between two steps.
// Arguments: megabytes of live data, as Leat's objects have them; seconds.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	megabytes, _ := strconv.Atoi(os.Args[1])
	seconds, _ := strconv.Atoi(os.Args[2])
	entries := megabytes * 1000000 / entryBytes
	table := make([]*tree, entries)
	for i := range table {
		table[i] = build(4, i)
	}
	noted := newGaps()
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
		noted.note(time - last)
		last = time
	}
	noted.sayLongest(steps)
	fmt.Println("above-1", noted.above(1000))
	fmt.Println("above-5", noted.above(5000))
	fmt.Println("steps", steps/seconds)
	if check == 0 {
		fmt.Println("nothing was summed")
	}
}
