package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
)

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	var lines []string
	s := bufio.NewScanner(f)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	sort.Strings(lines)
	sum := 0
	for i, line := range lines {
		first := 10
		if line != "" {
			first = int(line[0])
		}
		sum = (sum*31 + i*(len(line)+1) + first) % 1000003
	}
	fmt.Printf("%s\n%s\n%d\n", lines[0], lines[len(lines)-1], sum)
}
