package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	x, same, digits, sum := 1, 0, 0, 0.0
	for i := 0; i < n; i++ {
		y := x * 16807 % 2147483647
		r := float64(x) / (1 + float64(y%1000003))
		if again, _ := strconv.ParseFloat(strconv.FormatFloat(r, 'g', -1, 64), 64); again == r {
			same++
		}
		short := strconv.FormatFloat(r, 'f', 6, 64)
		// SML has exponents without a sign and leading zeroes.
		sci := strconv.FormatFloat(r, 'e', 4, 64)
		digits += len(short) + len(sci) - 2
		if sci[len(sci)-3] == '-' {
			digits++
		}
		if sci[len(sci)-2] != '0' {
			digits++
		}
		back, _ := strconv.ParseFloat(short, 64)
		sum += back
		x = y
	}
	e := 0
	for sum >= 10 {
		sum /= 10
		e++
	}
	fmt.Printf("%d %d %.4fE%d\n", same, digits, sum, e)
}
