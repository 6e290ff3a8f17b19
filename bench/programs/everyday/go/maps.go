package main

// Go's library has no ordered map: its hash tables, and the keys sorted where the order is wanted.

import (
	"fmt"
	"os"
	"sort"
	"strconv"
)

func next(x int) int { return x * 16807 % 2147483647 }

func key(x int) string { return "key" + strconv.Itoa(x) }

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	ints := map[int]int{}
	for i, x := 0, 1; i < n; i, x = i+1, next(x) {
		ints[x%n]++
	}
	found := 0
	for i, x := 0, 7; i < n; i, x = i+1, next(x) {
		found += ints[x%n]
	}
	count := len(ints)
	for i, x := 0, 11; i < n/2; i, x = i+1, next(x) {
		delete(ints, x%n)
	}
	keys := make([]int, 0, len(ints))
	for k := range ints {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	sum := 0
	for _, k := range keys {
		sum = (sum*31 + k*ints[k]) % 1000003
	}
	fmt.Println(count, found, len(ints), sum)

	strs := map[string]int{}
	for i, x := 0, 3; i < n; i, x = i+1, next(x) {
		strs[key(x%n)]++
	}
	found = 0
	for i, x := 0, 5; i < n; i, x = i+1, next(x) {
		found += strs[key(x%n)]
	}
	names := make([]string, 0, len(strs))
	for k := range strs {
		names = append(names, k)
	}
	sort.Strings(names)
	sum = 0
	for _, k := range names {
		sum = (sum*31 + len(k)*strs[k]) % 1000003
	}
	fmt.Println(len(strs), found, sum)
}
