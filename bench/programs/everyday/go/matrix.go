package main

import (
	"fmt"
	"os"
	"strconv"
)

func tabulate(n int, f func(i, j int) float64) [][]float64 {
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = f(i, j)
		}
	}
	return m
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	a := tabulate(n, func(i, j int) float64 { return float64((i*7 + j*3) % 11) })
	b := tabulate(n, func(i, j int) float64 { return float64((i*5 + j*2) % 13) })
	c := tabulate(n, func(i, j int) float64 {
		sum := 0.0
		for k := 0; k < n; k++ {
			sum += a[i][k] * b[k][j]
		}
		return sum
	})
	trace, total := 0.0, 0.0
	for i := range c {
		trace += c[i][i]
		for _, x := range c[i] {
			total += x
		}
	}
	fmt.Printf("%.0f %.0f\n", trace, total)
}
