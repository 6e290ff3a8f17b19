package main

import (
	"container/heap"
	"fmt"
	"os"
	"strings"
)

type tree struct {
	weight int
	char   byte
	l, r   *tree
}
type queue []*tree

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].weight < q[j].weight }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*tree)) }
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

func fill(t *tree, bits string, table *[256]string) {
	if t.l == nil {
		table[t.char] = bits
		return
	}
	fill(t.l, bits+"0", table)
	fill(t.r, bits+"1", table)
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var counts [256]int
	for _, c := range text {
		counts[c]++
	}
	q := &queue{}
	for c, n := range counts {
		if n > 0 {
			heap.Push(q, &tree{n, byte(c), nil, nil})
		}
	}
	for q.Len() > 1 {
		a, b := heap.Pop(q).(*tree), heap.Pop(q).(*tree)
		heap.Push(q, &tree{a.weight + b.weight, 0, a, b})
	}
	root := (*q)[0]
	var table [256]string
	fill(root, "", &table)
	var out strings.Builder
	for _, c := range text {
		out.WriteString(table[c])
	}
	bits := out.String()
	var back []byte
	t := root
	for i := 0; i < len(bits); i++ {
		if bits[i] == '0' {
			t = t.l
		} else {
			t = t.r
		}
		if t.l == nil {
			back = append(back, t.char)
			t = root
		}
	}
	fmt.Printf("%d characters, %d bits, back %t\n", len(text), len(bits), string(back) == string(text))
}
