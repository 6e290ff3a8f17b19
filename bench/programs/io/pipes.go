// Row E1, E2 in Go: a goroutine for each end. usage: pipes P MESSAGES [DELAY in us [LIVE]]
// LIVE timers of an hour are there besides; each message begins the next of them anew.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
)

func main() {
	pipes, _ := strconv.Atoi(os.Args[1])
	messages, _ := strconv.ParseInt(os.Args[2], 10, 64)
	delay := time.Duration(0)
	if len(os.Args) > 3 {
		us, _ := strconv.Atoi(os.Args[3])
		delay = time.Duration(us) * time.Microsecond
	}
	room := 64
	if delay > 0 {
		room = 1
	}
	var hours []*time.Timer
	if len(os.Args) > 4 {
		live, _ := strconv.Atoi(os.Args[4])
		for i := 0; i < live; i++ {
			hours = append(hours, time.AfterFunc(time.Hour, func() {}))
		}
	}
	var sent, got atomic.Int64
	done := make(chan bool, 1)
	var ends [][2]*os.File
	for i := 0; i < pipes; i++ {
		r, w, err := os.Pipe()
		if err != nil {
			if i == 0 {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Fprintf(os.Stderr, "pipes: the limit of open files allows %d of %d pipes\n", i, pipes)
			break
		}
		ends = append(ends, [2]*os.File{r, w})
	}
	begin := time.Now()
	for _, end := range ends {
		go func() {
			buffer := make([]byte, room)
			for {
				if delay > 0 {
					// Told that it is readable, then the delay: the byte read here stands for the notice.
					n, err := end[0].Read(buffer)
					if err != nil {
						return
					}
					time.Sleep(delay)
					all := got.Add(int64(n))
					if hours != nil {
						hours[all%int64(len(hours))].Reset(time.Hour)
					}
					if all >= messages {
						select {
						case done <- true:
						default:
						}
					}
					continue
				}
				n, err := end[0].Read(buffer)
				if err != nil {
					return
				}
				if got.Add(int64(n)) >= messages {
					select {
					case done <- true:
					default:
					}
				}
			}
		}()
		go func() {
			one := []byte("x")
			for sent.Add(1) <= messages {
				end[1].Write(one)
				runtime.Gosched()
			}
		}()
	}
	<-done
	fmt.Printf("message %d\n", time.Since(begin).Nanoseconds()/messages)
}
