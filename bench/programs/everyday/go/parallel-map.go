package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

func parallelMap[A, B any](f func(A) B, l []A) []B {
	results := make([]B, len(l))
	var all sync.WaitGroup
	for i, x := range l {
		all.Add(1)
		go func() {
			defer all.Done()
			results[i] = f(x)
		}()
	}
	all.Wait()
	return results
}

func steps(k int) int {
	n := 0
	for ; k != 1; n++ {
		if k%2 == 0 {
			k /= 2
		} else {
			k = 3*k + 1
		}
	}
	return n
}

func most(first int) int {
	m := 0
	for i := range 1000 {
		m = max(m, steps(first+i))
	}
	return m
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	l := make([]int, n)
	for i := range l {
		l[i] = 1 + 1000*i
	}
	top, sum := 0, 0
	for _, m := range parallelMap(most, l) {
		top = max(top, m)
		sum = (sum*31 + m) % 1000003
	}
	fmt.Printf("the most steps are %d, sum %d\n", top, sum)
}
