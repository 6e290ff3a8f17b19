package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

const producers, consumers = 4, 4

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	buffer := make(chan int, 64)
	sums := make(chan int)
	var all sync.WaitGroup
	for i := range producers {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := i; k < n; k += producers {
				buffer <- k
			}
		}()
	}
	for range consumers {
		go func() {
			sum := 0
			for k := range buffer {
				sum = (sum + k*7) % 1000003
			}
			sums <- sum
		}()
	}
	all.Wait()
	close(buffer)
	total := 0
	for range consumers {
		total = (total + <-sums) % 1000003
	}
	fmt.Printf("%d things, sum %d\n", n, total)
}
