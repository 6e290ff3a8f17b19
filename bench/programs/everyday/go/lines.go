package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	lines, stops, longest := 0, 0, ""
	s := bufio.NewScanner(f)
	for s.Scan() {
		line := s.Text()
		lines++
		if strings.HasSuffix(line, ".") {
			stops++
		}
		if len(line) > len(longest) {
			longest = line
		}
	}
	fmt.Printf("%d lines, %d with a full stop\n%s\n", lines, stops, longest)
}
