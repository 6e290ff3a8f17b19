package main

import (
	"fmt"
	"os"
	"strconv"
)

func text(n, x int) string {
	b := make([]byte, n)
	for i := range b {
		x = x * 16807 % 2147483647
		b[i] = byte(97 + x%5)
	}
	return string(b)
}

func distance(a, b string) int {
	above := make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		here := make([]int, len(b)+1)
		here[0] = i + 1
		for j := range len(b) {
			change := above[j]
			if a[i] != b[j] {
				change++
			}
			here[j+1] = min(change, above[j+1]+1, here[j]+1)
		}
		above = here
	}
	return above[len(b)]
}

func load(items [][2]int, room int) int {
	best := make([]int, room+1)
	for _, it := range items {
		for w := room; w >= it[0]; w-- {
			best[w] = max(best[w], best[w-it[0]]+it[1])
		}
	}
	return best[room]
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var items [][2]int
	for i := range 200 {
		items = append(items, [2]int{1 + i*37%91, 10 + i*53%97})
	}
	fmt.Println("distance", distance(text(n, 1), text(n, 2)))
	fmt.Println("load worth", load(items, n*10))
}
