// A crowd for HTTP servers on the loopback: are all served, for minutes, whatever the others do?
// usage: crowd ADDRESS PATH CONNECTIONS SECONDS [PID]
//
// CONNECTIONS clients stay connected and ask every few seconds (less than the server's time for idle ones). Beside them, all
// the time: 50 slow clients, who send a byte of a header each second; 50 silent ones, who send nothing; 20 killed ones, who
// ask and reset the connection before the answer is read. Slow and silent ones should be cut.
// Prints a line each ten seconds: requests, errors of the good ones, the memory of process PID; at the end how long the
// others were let live, and the 50th, 99th and 99.9th percentile of the time for an answer.
package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const pause = 8 * time.Second

var (
	address, path string
	end           time.Time
	served, wrong atomic.Int64
	killed        atomic.Int64
	lock          sync.Mutex
	times         []time.Duration
	cut           = map[string][]time.Duration{}
)

func request() []byte { return []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n") }

func good(c net.Conn) {
	defer c.Close()
	r := bufio.NewReaderSize(c, 2048)
	time.Sleep(time.Duration(rand.Int63n(int64(pause))))
	for time.Now().Before(end) {
		start := time.Now()
		c.Write(request())
		answer, err := http.ReadResponse(r, nil)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
		}
		if err != nil || answer.StatusCode != 200 {
			wrong.Add(1)
			return
		}
		served.Add(1)
		lock.Lock()
		times = append(times, time.Since(start))
		lock.Unlock()
		time.Sleep(pause/2 + time.Duration(rand.Int63n(int64(pause))))
	}
}

// Until the server ends the connection.
func bad(kind string, step func(net.Conn) bool) {
	for time.Now().Before(end) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			wrong.Add(1)
			return
		}
		start := time.Now()
		over := make(chan bool, 1)
		go func() { io.Copy(io.Discard, c); over <- true }()
		alive := true
		for alive && time.Now().Before(end) {
			select {
			case <-over:
				alive = false
			case <-time.After(time.Second):
				step(c)
			}
		}
		c.Close()
		if !alive {
			lock.Lock()
			cut[kind] = append(cut[kind], time.Since(start))
			lock.Unlock()
		}
	}
}

func kill() {
	for time.Now().Before(end) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			wrong.Add(1)
			return
		}
		c.Write(request())
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
		killed.Add(1)
		time.Sleep(100 * time.Millisecond)
	}
}

func memory(pid string) string {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return "?"
	}
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, "VmRSS:") {
			return strings.Join(strings.Fields(line)[1:], " ")
		}
	}
	return "?"
}

func main() {
	address, path = os.Args[1], os.Args[2]
	connections, _ := strconv.Atoi(os.Args[3])
	seconds, _ := strconv.Atoi(os.Args[4])
	pid := ""
	if len(os.Args) > 5 {
		pid = os.Args[5]
	}
	end = time.Now().Add(time.Duration(seconds) * time.Second)
	var all sync.WaitGroup
	run := func(f func()) {
		all.Add(1)
		go func() { defer all.Done(); f() }()
	}
	open := 0
	for i := 0; i < connections; i++ {
		c, err := net.Dial("tcp", address)
		if err != nil {
			wrong.Add(1)
			continue
		}
		open++
		run(func() { good(c) })
	}
	for i := 0; i < 50; i++ {
		run(func() { bad("slow", func(c net.Conn) bool { _, err := c.Write([]byte("x")); return err == nil }) })
		run(func() { bad("silent", func(net.Conn) bool { return true }) })
	}
	for i := 0; i < 20; i++ {
		run(kill)
	}
	start := time.Now()
	go func() {
		for {
			time.Sleep(10 * time.Second)
			fmt.Printf("%4.0f s: open %d, served %d, errors %d, memory %s\n",
				time.Since(start).Seconds(), open, served.Load(), wrong.Load(), memory(pid))
		}
	}()
	all.Wait()
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	at := func(p float64) time.Duration {
		if len(times) == 0 {
			return 0
		}
		return times[int(p*float64(len(times)-1))].Round(10 * time.Microsecond)
	}
	for _, kind := range []string{"slow", "silent"} {
		ts := cut[kind]
		sort.Slice(ts, func(i, j int) bool { return ts[i] < ts[j] })
		if len(ts) > 0 {
			fmt.Printf("%s clients cut: %d, after %.1f to %.1f s\n", kind, len(ts), ts[0].Seconds(), ts[len(ts)-1].Seconds())
		}
	}
	fmt.Printf("killed clients: %d\n", killed.Load())
	fmt.Printf("open %d, served %d, errors %d, p50 %v, p99 %v, p99.9 %v, memory %s\n",
		open, served.Load(), wrong.Load(), at(0.5), at(0.99), at(0.999), memory(pid))
}
