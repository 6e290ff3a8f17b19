// A server that a load generator starts; load.go and notes.go are built with this file.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

func fail(what any) {
	fmt.Fprintln(os.Stderr, "load:", what)
	os.Exit(1)
}

func number(word string) int {
	n, err := strconv.Atoi(word)
	if err != nil {
		fail(err)
	}
	return n
}

// A field of a process's status, in KB.
func status(pid int, field string) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == field+":" {
			return words[1]
		}
	}
	return "0"
}

// Starts a server by a command, in which PORT is a free port, and each word of `more` is the word behind it; answers it,
// and its address, when it accepts connections. What it writes to standard error goes to `errors`, or nowhere.
func started(command []string, errors io.Writer, more ...string) (*exec.Cmd, string) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fail(err)
	}
	address := free.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	free.Close()
	words := strings.NewReplacer(append(more, "PORT", port)...)
	for i, word := range command {
		command[i] = words.Replace(word)
	}
	server := exec.Command(command[0], command[1:]...)
	server.Stderr = errors
	if err := server.Start(); err != nil {
		fail(err)
	}
	for tries := 0; ; tries++ {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return server, address
		} else if tries == 500 {
			server.Process.Kill()
			fail(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
