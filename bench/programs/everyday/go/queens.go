package main

import (
	"fmt"
	"os"
	"strconv"
)

type list struct {
	q    int
	rest *list
}

func isSafe(q int, placed *list) bool {
	for d := 1; placed != nil; placed, d = placed.rest, d+1 {
		if q == placed.q || q == placed.q+d || q == placed.q-d {
			return false
		}
	}
	return true
}

func count(n, row int, placed *list) int {
	if row == n {
		return 1
	}
	sum := 0
	for q := 1; q <= n; q++ {
		if isSafe(q, placed) {
			sum += count(n, row+1, &list{q, placed})
		}
	}
	return sum
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	fmt.Println(count(n, 0, nil))
}
