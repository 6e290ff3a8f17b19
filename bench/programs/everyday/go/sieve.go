package main

import (
	"fmt"
	"os"
	"strconv"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	isPrime := make([]bool, n)
	for i := range isPrime {
		isPrime[i] = true
	}
	for i := 2; i*i < n; i++ {
		if isPrime[i] {
			for j := i * i; j < n; j += i {
				isPrime[j] = false
			}
		}
	}
	count, last, sum := 0, 0, 0
	for i, prime := range isPrime {
		if prime && i > 1 {
			count, last, sum = count+1, i, (sum+i)%1000003
		}
	}
	fmt.Printf("%d primes, the last is %d, sum %d\n", count, last, sum)
}
