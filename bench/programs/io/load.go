// A load generator for HTTP servers on the loopback.
//
// usage: load ADDRESS PATH CONNECTIONS SECONDS [ACTIVE [FILES]]
// Opens all connections and keeps them; ACTIVE of them (all by default) send one request after the other. A # in the path
// is a random number below FILES.
// Prints requests a second, errors, the 50th, 99th and 99.9th percentile of the time for an answer, and the longest.
//
// usage: load serve CONNECTIONS SECONDS BYTES COMMAND ...
// Starts a server by COMMAND, in which PORT is a free port and ROOT a folder with one file of so many bytes; loads it, ends it.
// Prints, for the lab: nanoseconds a request, the server's CPU time of it, the most memory that it had, percentiles.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type result struct {
	connections   int
	count, errors int64
	span          time.Duration
	times         []time.Duration
}

// The time within which this part of the answers came.
func (r *result) at(part float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	return r.times[int(part*float64(len(r.times)-1))]
}

func load(address, path string, connections, active, files int, seconds float64) result {
	get := func(path string) []byte { return []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n") }
	always := get(path)
	request := func() []byte { return always }
	if before, after, some := strings.Cut(path, "#"); some {
		request = func() []byte { return get(before + strconv.Itoa(rand.IntN(files)) + after) }
	}
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
		if _, err := c.Write(request()); err != nil {
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
					break
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
	span := time.Since(begin)
	for _, c := range conns {
		c.Close()
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	return result{len(conns), count.Load(), errors.Load(), span, times}
}

func serve(connections int, seconds float64, size int, command []string) {
	root, err := os.MkdirTemp("", "load")
	if err != nil {
		fail(err)
	}
	defer os.RemoveAll(root)
	if err := os.WriteFile(filepath.Join(root, "page.html"), bytes.Repeat([]byte("x"), size), 0o644); err != nil {
		fail(err)
	}
	server, address := started(command, os.Stderr, "ROOT", root)
	r := load(address, "/page.html", connections, connections, 1, seconds)
	most := status(server.Process.Pid, "VmHWM")
	server.Process.Signal(syscall.SIGTERM)
	server.Wait()
	if r.errors > 0 || r.count == 0 {
		fail(fmt.Sprintf("%d errors, %d answers", r.errors, r.count))
	}
	cpu := server.ProcessState.UserTime() + server.ProcessState.SystemTime()
	fmt.Printf("request %d\n", r.span.Nanoseconds()/r.count)
	fmt.Printf("cpu %d\n", cpu.Nanoseconds()/r.count)
	fmt.Printf("resident-KB %s\n", most)
	fmt.Printf("half-within-us %d\n", r.at(0.5).Microseconds())
	fmt.Printf("99%%-within-us %d\n", r.at(0.99).Microseconds())
}

func main() {
	if len(os.Args) > 5 && os.Args[1] == "serve" {
		serve(number(os.Args[2]), float64(number(os.Args[3])), number(os.Args[4]), os.Args[5:])
		return
	}
	connections := number(os.Args[3])
	seconds, err := strconv.ParseFloat(os.Args[4], 64)
	if err != nil {
		fail(err)
	}
	active := connections
	if len(os.Args) > 5 {
		active = number(os.Args[5])
	}
	files := 1
	if len(os.Args) > 6 {
		files = number(os.Args[6])
	}
	r := load(os.Args[1], os.Args[2], connections, active, files, seconds)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	fmt.Printf("connections %d active %d requests/s %.0f errors %d p50 %.1f ms p99 %.1f ms p99.9 %.1f ms longest %.1f ms\n",
		r.connections, active, float64(r.count)/r.span.Seconds(), r.errors,
		ms(r.at(0.5)), ms(r.at(0.99)), ms(r.at(0.999)), ms(r.at(1)))
}
