package main

import (
	"fmt"
	"os"
	"strconv"
)

const accounts = 1000

type order struct {
	from, to, amount int
	answer           chan bool
	total            chan int
}

func bank(orders chan order) {
	balance := make([]int, accounts)
	for i := range balance {
		balance[i] = 100
	}
	for o := range orders {
		switch {
		case o.total != nil:
			sum := 0
			for _, b := range balance {
				sum += b
			}
			o.total <- sum
		case balance[o.from] < o.amount:
			o.answer <- false
		default:
			balance[o.from] -= o.amount
			balance[o.to] += o.amount
			o.answer <- true
		}
	}
}

func client(orders chan order, done chan int, number, times int) {
	answer := make(chan bool)
	next := func(x int) int { return x * 16807 % 2147483647 }
	x, count := number+1, 0
	for i := 0; i < times; i++ {
		y := next(x)
		z := next(y)
		orders <- order{from: x % accounts, to: y % accounts, amount: z % 50, answer: answer}
		<-answer
		count++
		x = z
	}
	done <- count
}

func main() {
	times, _ := strconv.Atoi(os.Args[1])
	orders := make(chan order, 1000)
	done := make(chan int)
	go bank(orders)
	for i := 0; i < 100; i++ {
		go client(orders, done, i, times)
	}
	count := 0
	for i := 0; i < 100; i++ {
		count += <-done
	}
	total := make(chan int)
	orders <- order{total: total}
	fmt.Printf("%d transfers, total %d\n", count, <-total)
}
