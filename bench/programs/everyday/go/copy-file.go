package main

import (
	"fmt"
	"io"
	"os"
)

func copyTo(to string) {
	in, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	out, err := os.Create(to)
	if err != nil {
		panic(err)
	}
	block := make([]byte, 65536)
	for {
		n, err := in.Read(block)
		out.Write(block[:n])
		if err == io.EOF {
			break
		}
	}
	in.Close()
	out.Close()
}

func main() {
	f, _ := os.CreateTemp("", "copy")
	f.Close()
	for range 20 {
		copyTo(f.Name())
	}
	data, _ := os.ReadFile(f.Name())
	sum := 0
	for _, b := range data {
		sum = (sum + int(b)) % 1000003
	}
	fmt.Printf("%d bytes, sum %d\n", len(data), sum)
	os.Remove(f.Name())
}
