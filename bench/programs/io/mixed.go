// Row W8 with Go, as mixed.sml: a server that echoes beside four goroutines that compute without end.
// usage: GOMAXPROCS=2 mixed PORT
package main

import (
	"fmt"
	"net"
	"os"
)

var sums [4]uint64

func compute(k int) {
	for x := uint64(k); ; {
		for range 1 << 30 {
			x = x*6364136223846793005 + 1442695040888963407
		}
		sums[k] = x
	}
}

func echo(c net.Conn) {
	defer c.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := c.Read(buffer)
		if err != nil {
			return
		}
		if _, err := c.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func main() {
	listener, err := net.Listen("tcp", ":"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for k := range sums {
		go compute(k)
	}
	for {
		c, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go echo(c)
	}
}
