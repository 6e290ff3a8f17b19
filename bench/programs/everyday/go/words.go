package main

import (
	"bufio"
	"fmt"
	"os"
	"sort"
	"strings"
)

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	counts := map[string]int{}
	isOther := func(c rune) bool { return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') }
	s := bufio.NewScanner(f)
	for s.Scan() {
		for _, w := range strings.FieldsFunc(s.Text(), isOther) {
			counts[w]++
		}
	}
	words := make([]string, 0, len(counts))
	for w := range counts {
		words = append(words, w)
	}
	sort.Slice(words, func(i, j int) bool {
		a, b := words[i], words[j]
		return counts[a] > counts[b] || counts[a] == counts[b] && a < b
	})
	for _, w := range words[:10] {
		fmt.Println(w, counts[w])
	}
	fmt.Println(len(words), "words")
}
