package main

import (
	"container/heap"
	"fmt"
	"math"
	"os"
	"strconv"
)

type item struct{ cost, place int }
type queue []item

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(item)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	costs, best := make([]int, n*n), make([]int, n*n)
	for i, x := 0, 1; i < n*n; i++ {
		x = x * 16807 % 2147483647
		costs[i] = 1 + x%9
		best[i] = math.MaxInt
	}
	q := &queue{}
	reach := func(place, cost int) {
		if cost < best[place] {
			best[place] = cost
			heap.Push(q, item{cost, place})
		}
	}
	reach(0, 0)
	for q.Len() > 0 {
		it := heap.Pop(q).(item)
		if it.cost > best[it.place] {
			continue
		}
		row, column := it.place/n, it.place%n
		if row > 0 {
			reach(it.place-n, it.cost+costs[it.place-n])
		}
		if row < n-1 {
			reach(it.place+n, it.cost+costs[it.place+n])
		}
		if column > 0 {
			reach(it.place-1, it.cost+costs[it.place-1])
		}
		if column < n-1 {
			reach(it.place+1, it.cost+costs[it.place+1])
		}
	}
	far := 0
	for _, b := range best {
		far = max(far, b)
	}
	fmt.Printf("the other corner costs %d, the farthest place %d\n", best[n*n-1], far)
}
