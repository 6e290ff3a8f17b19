package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strconv"
)

func main() {
	problem := regexp.MustCompile(`(ERROR|WARN) ([a-z]+): from ([0-9]+)\.([0-9]+)\.[0-9]+\.[0-9]+ took ([0-9]+) ms`)
	slow := regexp.MustCompile(`took [1-9][0-9][0-9][0-9] ms`)
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	problems, spent, slows := 0, 0, 0
	s := bufio.NewScanner(f)
	for s.Scan() {
		line := s.Text()
		if slow.MatchString(line) {
			slows++
		}
		if m := problem.FindStringSubmatch(line); m != nil {
			problems++
			ms, _ := strconv.Atoi(m[5])
			spent += ms
		}
	}
	fmt.Printf("%d problems took %d ms; %d slow\n", problems, spent, slows)
}
