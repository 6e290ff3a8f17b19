package main

import (
	"fmt"
	"os"
	"strconv"
)

type tree struct{ l, r *tree }

func makeTree(d int) *tree {
	if d == 0 {
		return &tree{}
	}
	return &tree{makeTree(d - 1), makeTree(d - 1)}
}

func (t *tree) count() int {
	if t == nil {
		return 0
	}
	return 1 + t.l.count() + t.r.count()
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	long := makeTree(n)
	for d := 4; d <= n; d += 4 {
		times, sum := 1<<(n-d+4), 0
		for i := 0; i < times; i++ {
			sum += makeTree(d).count()
		}
		fmt.Printf("%d trees of depth %d: %d\n", times, d, sum)
	}
	fmt.Printf("the long-lived tree: %d\n", long.count())
}
