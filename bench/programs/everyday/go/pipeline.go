package main

import (
	"fmt"
	"os"
	"strconv"
)

const stages = 10

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	first := make(chan int)
	last := first
	for i := range stages {
		input, output := last, make(chan int)
		go func() {
			for x := range input {
				output <- (x*3 + i) % 1000003
			}
		}()
		last = output
	}
	go func() {
		for k := range n {
			first <- k
		}
	}()
	sum := 0
	for range n {
		sum = (sum*31 + <-last) % 1000003
	}
	fmt.Println("sum", sum)
}
