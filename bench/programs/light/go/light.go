// The networks by Go's goroutines and channels of one place; ../direct.sml explains them.
//
//	go build -o light-go light.go
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const modulus = 536870909

type mvar = chan int

func newMVar() mvar { return make(chan int, 1) }

func plus(a, b, c mvar) {
	for {
		x := <-a
		c <- (x + <-b) % modulus
	}
}

func cons(x int, from, to mvar) {
	to <- x
	for x := range from {
		to <- x
	}
}

func split(from, one, other mvar) {
	for x := range from {
		one <- x
		other <- x
	}
}

func kpn(n int) int {
	a, b, c, d, e, f, out := newMVar(), newMVar(), newMVar(), newMVar(), newMVar(), newMVar(), newMVar()
	go plus(a, b, c)
	go cons(1, c, d)
	go split(d, e, b)
	go cons(0, e, f)
	go split(f, a, out)
	for ; n > 0; n-- {
		<-out
	}
	return <-out
}

func filter(p int, from, to mvar) {
	for x := range from {
		if x%p != 0 {
			to <- x
		}
	}
}

func sieve(n int) int {
	from := newMVar()
	go func(to mvar) {
		for k := 2; ; k++ {
			to <- k
		}
	}(from)
	for ; ; n-- {
		p := <-from
		if n == 1 {
			return p
		}
		to := newMVar()
		go filter(p, from, to)
		from = to
	}
}

func comparator(a, b, low, high mvar) {
	x, y := <-a, <-b
	low <- min(x, y)
	high <- max(x, y)
}

func min(x, y int) int {
	if x < y {
		return x
	}
	return y
}

func max(x, y int) int {
	if x < y {
		return y
	}
	return x
}

// Each row of comparators brings the least number out at its end.
func network(ins []mvar) []mvar {
	row := append([]mvar(nil), ins...)
	outs := make([]mvar, 0, len(ins))
	for len(row) > 0 {
		least := row[0]
		for i, from := range row[1:] {
			low, high := newMVar(), newMVar()
			go comparator(least, from, low, high)
			least, row[i] = low, high
		}
		outs = append(outs, least)
		row = row[:len(row)-1]
	}
	return outs
}

func variables(n int) []mvar {
	ins := make([]mvar, n)
	for i := range ins {
		ins[i] = newMVar()
	}
	return ins
}

func sorter(n int) int {
	ins := variables(n)
	outs := network(ins)
	go func() {
		seed := 42
		numbers := make([]int, n)
		for i := n - 1; i >= 0; i-- {
			seed = (seed*1366 + 150889) % 714025
			numbers[i] = seed
		}
		for i, in := range ins {
			in <- numbers[i]
		}
	}()
	sum := 0
	for _, out := range outs {
		sum = (sum*31 + <-out) % 1000003
	}
	return sum
}

func setup(n int) int {
	network(variables(n))
	return n * (n - 1) / 2
}

func cpu() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func resident() int {
	status, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if fields := strings.Fields(lines.Text()); fields[0] == "VmHWM:" {
			kb, _ := strconv.Atoi(fields[1])
			return kb * 1024
		}
	}
	return 0
}

func main() {
	networks := map[string]func(int) int{"kpn": kpn, "sieve": sieve, "sorter": sorter, "sorter-d": setup}
	if len(os.Args) == 3 {
		n, err := strconv.Atoi(os.Args[2])
		if f := networks[os.Args[1]]; f != nil && err == nil {
			before := cpu()
			result := f(n)
			used := cpu() - before
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			fmt.Printf("style=go network=%s n=%d result=%d cpu-us=%d peak-heap=%d resident=%d\n",
				os.Args[1], n, result, used.Microseconds(), memory.HeapSys+memory.StackSys, resident())
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: light-go kpn|sieve|sorter|sorter-d N")
	os.Exit(2)
}
