package main

import (
	"fmt"
	"os"
	"strconv"
)

type list struct {
	x    int
	rest *list
}

func insertions(x int, l *list) []*list {
	if l == nil {
		return []*list{{x, nil}}
	}
	all := []*list{{x, l}}
	for _, m := range insertions(x, l.rest) {
		all = append(all, &list{l.x, m})
	}
	return all
}

func permutations(l *list) []*list {
	if l == nil {
		return []*list{nil}
	}
	var all []*list
	for _, m := range permutations(l.rest) {
		all = append(all, insertions(l.x, m)...)
	}
	return all
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var l *list
	for i := n - 1; i >= 0; i-- {
		l = &list{i, l}
	}
	all := permutations(l)
	moved, sum := 0, 0
	for _, p := range all {
		isMoved, last := 1, 0
		for i, q := 0, p; q != nil; i, q = i+1, q.rest {
			if q.x == i {
				isMoved = 0
			}
			last = q.x
		}
		moved += isMoved
		sum = (sum*31 + p.x*7 + last) % 1000003
	}
	fmt.Printf("%d permutations, %d move all, sum %d\n", len(all), moved, sum)
}
