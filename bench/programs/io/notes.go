// A load generator for the service of notes (examples/service) on the loopback.
//
// usage: notes CONNECTIONS SECONDS COMMAND ...
// Starts the service by COMMAND, in which PORT is a free port. Each connection is kept, and does over and over: a note
// is added, read, changed, read again, the health asked for, the note removed. Only answers that are right count.
// Prints, for the lab: nanoseconds a request by the clock, the service's CPU time of it, the most memory that it had,
// and within how many microseconds half, 99 and 99.9 of 100 answers came. A second before that is not measured.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type note struct{ ID, Title, Text string }

// One connection, and the times of its answers.
type client struct {
	conn  net.Conn
	read  *bufio.Reader
	times []time.Duration
}

// One request and its answer's body; the answer must have this status.
func (c *client) ask(method, path, body string, status int) ([]byte, error) {
	length := ""
	if body != "" {
		length = fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	start := time.Now()
	const form = "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n%s"
	if _, err := fmt.Fprintf(c.conn, form, method, path, length, body); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(c.read, nil)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(answer.Body)
	c.times = append(c.times, time.Since(start))
	if err == nil && answer.StatusCode != status {
		err = fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	return content, err
}

// A note's life.
func (c *client) round(number int) error {
	text := fmt.Sprintf(`{"title": "note %d", "text": "%s"}`, number, strings.Repeat("What is to be done. ", 10))
	added, err := c.ask("POST", "/notes", text, 201)
	if err != nil {
		return err
	}
	var made note
	if err := json.Unmarshal(added, &made); err != nil {
		return err
	}
	path := "/notes/" + made.ID
	for _, step := range []struct {
		method, path, body string
		status             int
		has                string
	}{
		{"GET", path, "", 200, "to be done"},
		{"PUT", path, `{"title": "done", "text": "It was."}`, 200, "It was."},
		{"GET", path, "", 200, "It was."},
		{"GET", "/health", "", 200, "ok"},
		{"DELETE", path, "", 204, ""},
	} {
		content, err := c.ask(step.method, step.path, step.body, step.status)
		if err != nil {
			return err
		}
		if !strings.Contains(string(content), step.has) {
			return fmt.Errorf("%s %s: %q", step.method, step.path, content)
		}
	}
	return nil
}

// All connections at once until the time is over; the times of all answers.
func load(address string, connections int, length time.Duration) []time.Duration {
	clients := make([]*client, connections)
	for i := range clients {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			fail(err)
		}
		clients[i] = &client{conn: conn, read: bufio.NewReader(conn)}
	}
	end := time.Now().Add(length)
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() {
			for number := 0; time.Now().Before(end); number++ {
				if err := c.round(number); err != nil {
					fail(err)
				}
			}
		})
	}
	all.Wait()
	var times []time.Duration
	for _, c := range clients {
		c.conn.Close()
		times = append(times, c.times...)
	}
	return times
}

// The processor time of a process so far.
func cpu(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text)[strings.LastIndex(string(text), ")")+1:])
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

func main() {
	if len(os.Args) < 4 {
		fail("usage: notes CONNECTIONS SECONDS COMMAND ...")
	}
	connections, seconds := number(os.Args[1]), number(os.Args[2])
	service, address := started(os.Args[3:], nil)
	load(address, connections, time.Second)
	before, begin := cpu(service.Process.Pid), time.Now()
	times := load(address, connections, time.Duration(seconds)*time.Second)
	span, used := time.Since(begin), cpu(service.Process.Pid)-before
	memory := status(service.Process.Pid, "VmHWM")
	service.Process.Signal(syscall.SIGTERM)
	if err := service.Wait(); err != nil {
		fail(err)
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	within := func(part float64) int64 { return times[int(part*float64(len(times)-1))].Microseconds() }
	fmt.Printf("request %d\n", span.Nanoseconds()/int64(len(times)))
	fmt.Printf("cpu %d\n", used.Nanoseconds()/int64(len(times)))
	fmt.Printf("resident-KB %s\n", memory)
	fmt.Printf("half-within-us %d\n", within(0.5))
	fmt.Printf("99%%-within-us %d\n", within(0.99))
	fmt.Printf("99.9%%-within-us %d\n", within(0.999))
}
