package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

var words = []string{"bread", "butter", "salt", "water", "flour", "yeast", "olives"}

func sum(text string) int {
	s := 7
	for i := 0; i < len(text); i++ {
		s = (s*31 + int(text[i])) % 1000003
	}
	return s
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("%8d | %-10s | %06X | %t", i, words[i%7], i*37%65536, i%3 == 0)
	}
	table := strings.Join(lines, "\n")
	fmt.Printf("%d characters, sum %d\n", len(table), sum(table))
	capitals := strings.ToUpper(table)
	fmt.Println("in capitals", sum(capitals))
	fields := strings.Fields(capitals)
	slices.Reverse(fields)
	turned := strings.Join(fields, " ")
	fmt.Println("turned", sum(turned))
	fmt.Println("escaped", sum(strings.NewReplacer("|", "&#124;", " ", "_").Replace(turned)))
}
