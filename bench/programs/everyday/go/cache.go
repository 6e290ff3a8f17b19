package main

import (
	"container/list"
	"fmt"
	"os"
	"strconv"
)

const room = 10000

type entry struct {
	key   string
	value int
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	table := make(map[string]*list.Element)
	order := list.New()
	hits, sum, x := 0, 0, 1
	for range n {
		y := x * 16807 % 2147483647
		k := y % 200 * (x % 200) % 30011
		x = y
		key := "user-" + strconv.Itoa(k)
		if e, ok := table[key]; ok {
			order.MoveToFront(e)
			hits++
			sum = (sum*31 + e.Value.(*entry).value) % 1000003
			continue
		}
		if len(table) >= room {
			old := order.Back()
			order.Remove(old)
			delete(table, old.Value.(*entry).key)
		}
		table[key] = order.PushFront(&entry{key, k * 7 % 1009})
	}
	fmt.Printf("%d hits of %d, sum %d\n", hits, n, sum)
}
