// Row W2 with Go, as places.sml: goroutines that hand each other numbers, pools whose jobs take from 0.3 to 100 us, a
// parallel map. A mailbox is a channel that has room for all of its messages, an MVar a channel of one place.
// usage: GOMAXPROCS=2 places [name]
package main

import (
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"
)

// row prints wall and processor time of so many operations, each.
func row(name string, n int, f func(int)) {
	if len(os.Args) > 1 && os.Args[len(os.Args)-1] != name {
		return
	}
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			panic(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start, before := time.Now(), cpu()
	f(n)
	wall := time.Since(start)
	fmt.Printf("%s %.1f\n%s-cpu %.1f\n", name, float64(wall)/float64(n), name, float64(cpu()-before)/float64(n))
}

func join(n int, f func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}

func pipeline(n int) {
	first := make(chan int)
	last := first
	for range 3 {
		input, output := last, make(chan int)
		go func() {
			for {
				output <- <-input + 1
			}
		}()
		last = output
	}
	join(2, func(i int) {
		if i == 0 {
			for k := n; k > 0; k-- {
				first <- k
			}
		} else {
			for range n {
				<-last
			}
		}
	})
}

func work(n int, x uint64) uint64 {
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func pool(rounds int) func(int) {
	return func(jobs int) {
		todo, results := make(chan uint64, jobs+100), make(chan uint64, jobs)
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				for {
					x := <-todo
					if x == 0 {
						return
					}
					results <- work(rounds, x)
				}
			})
		}
		for i := jobs; i > 0; i-- {
			todo <- uint64(i)
		}
		for range jobs {
			<-results
		}
		for range 100 {
			todo <- 0
		}
		all.Wait()
	}
}

func parallelMap(n int) {
	longest := make([]int, 64)
	part := n / 64
	join(64, func(c int) {
		best := 0
		for i := 1 + c*part; i <= (c+1)*part; i++ {
			steps := 0
			for k := i; k != 1; steps++ {
				if k%2 == 0 {
					k /= 2
				} else {
					k = 3*k + 1
				}
			}
			best = max(best, steps)
		}
		longest[c] = best
	})
}

func ring(n int) {
	const size = 1000
	first := make(chan int)
	last := first
	for range size - 1 {
		input, output := last, make(chan int)
		go func() {
			for {
				output <- <-input
			}
		}()
		last = output
	}
	over := make(chan bool)
	go func() {
		for i := n / size; i > 0; i-- {
			first <- i
			<-last
		}
		over <- true
	}()
	<-over
}

func mvar(n int) {
	v := make(chan int, 1)
	v <- 0
	join(1000, func(int) {
		for range n / 1000 {
			v <- <-v + 1
		}
	})
}

func rpc(n int) {
	type request struct {
		argument int
		reply    chan int
	}
	calls := make(chan request)
	go func() {
		for {
			r := <-calls
			r.reply <- r.argument + 1
		}
	}()
	join(1000, func(int) {
		reply := make(chan int, 1)
		for i := range n / 1000 {
			calls <- request{i, reply}
			<-reply
		}
	})
}

func sieve(n int) {
	numbers := make(chan int)
	go func() {
		for i := 2; ; i++ {
			numbers <- i
		}
	}()
	input := numbers
	for range n {
		p := <-input
		in, out := input, make(chan int)
		go func() {
			for {
				if i := <-in; i%p != 0 {
					out <- i
				}
			}
		}()
		input = out
	}
}

func kpn(n int) {
	loop := func(step func()) {
		for {
			step()
		}
	}
	var c [7]chan int
	for i := range c {
		c[i] = make(chan int)
	}
	split := func(from, one, other chan int) {
		go loop(func() { x := <-from; one <- x; other <- x })
	}
	cons := func(first int, from, to chan int) {
		go func() {
			to <- first
			loop(func() { to <- <-from })
		}()
	}
	go loop(func() { c[2] <- (<-c[0] + <-c[1]) % 1000003 })
	cons(1, c[2], c[3])
	split(c[3], c[4], c[1])
	cons(0, c[4], c[5])
	split(c[5], c[0], c[6])
	for range n {
		<-c[6]
	}
}

func main() {
	row("pipeline", 1000000, pipeline)
	row("job-0", 500000, pool(200))
	row("job-5us", 40000, pool(5000))
	row("job-20us", 10000, pool(20000))
	row("job-100us", 3000, pool(100000))
	row("map", 3000000, parallelMap)
	row("ring", 2000000, ring)
	row("mvar", 3000000, mvar)
	row("rpc", 1000000, rpc)
	row("sieve", 1500, sieve)
	row("kpn", 200000, kpn)
}
