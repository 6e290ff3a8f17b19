// A load generator for HTTP servers on the loopback. usage: load ADDRESS PATH CONNECTIONS SECONDS [ACTIVE]
// Opens all connections and keeps them; ACTIVE of them (all by default) send one request after the other.
// Prints requests a second, errors, and the 50th and 99th percentile of the time for an answer.
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	address, path := os.Args[1], os.Args[2]
	connections, _ := strconv.Atoi(os.Args[3])
	seconds, _ := strconv.ParseFloat(os.Args[4], 64)
	active := connections
	if len(os.Args) > 5 {
		active, _ = strconv.Atoi(os.Args[5])
	}
	request := []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	var errors, count atomic.Int64
	conns := make([]net.Conn, 0, connections)
	for i := 0; i < connections; i++ {
		c, err := net.Dial("tcp", address)
		if err != nil {
			errors.Add(1)
			continue
		}
		conns = append(conns, c)
	}
	var all sync.WaitGroup
	var lock sync.Mutex
	var times []time.Duration
	begin := time.Now()
	end := begin.Add(time.Duration(seconds * 1e9))
	one := func(c net.Conn, r *bufio.Reader) bool {
		if _, err := c.Write(request); err != nil {
			return false
		}
		answer, err := http.ReadResponse(r, nil)
		if err != nil {
			return false
		}
		_, err = io.Copy(io.Discard, answer.Body)
		return err == nil && answer.StatusCode == 200
	}
	for i, c := range conns {
		if i >= active {
			break
		}
		all.Add(1)
		go func() {
			defer all.Done()
			r := bufio.NewReaderSize(c, 4096)
			own := make([]time.Duration, 0, 1024)
			for time.Now().Before(end) {
				start := time.Now()
				if !one(c, r) {
					errors.Add(1)
					return
				}
				count.Add(1)
				own = append(own, time.Since(start))
			}
			lock.Lock()
			times = append(times, own...)
			lock.Unlock()
		}()
	}
	all.Wait()
	span := time.Since(begin).Seconds()
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	at := func(p float64) float64 {
		if len(times) == 0 {
			return 0
		}
		return float64(times[int(p*float64(len(times)-1))].Microseconds()) / 1000
	}
	fmt.Printf("connections %d active %d requests/s %.0f errors %d p50 %.1f ms p99 %.1f ms\n",
		len(conns), active, float64(count.Load())/span, errors.Load(), at(0.5), at(0.99))
}
