package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

type entry struct {
	lines     int
	sum, most float64
}

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	cities := map[string]entry{}
	s := bufio.NewScanner(f)
	s.Scan()
	for s.Scan() {
		fields := strings.Split(s.Text(), ",")
		amount, _ := strconv.ParseFloat(fields[3], 64)
		count, _ := strconv.Atoi(fields[4])
		e := cities[fields[2]]
		e.lines++
		e.sum += amount * float64(count)
		e.most = max(e.most, amount)
		cities[fields[2]] = e
	}
	var names []string
	for city := range cities {
		names = append(names, city)
	}
	sort.Strings(names)
	for _, city := range names {
		e := cities[city]
		fmt.Printf("%-8s%d %.2f %.2f\n", city, e.lines, e.sum, e.most)
	}
}
