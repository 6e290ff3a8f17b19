package main

import (
	"fmt"
	"os"
	"strings"
)

const limit = 65536

func compress(text []byte) []int {
	table := map[int]int{}
	var out []int
	code, count := int(text[0]), 256
	for _, c := range text[1:] {
		key := code*256 + int(c)
		if next, ok := table[key]; ok {
			code = next
			continue
		}
		if count < limit {
			table[key] = count
		}
		count++
		out = append(out, code)
		code = int(c)
	}
	return append(out, code)
}

func expand(codes []int) string {
	table := make([]string, limit)
	for i := range 256 {
		table[i] = string([]byte{byte(i)})
	}
	var out strings.Builder
	last, count := table[codes[0]], 256
	out.WriteString(last)
	for _, code := range codes[1:] {
		first := last[:1]
		if code < count {
			first = table[code][:1]
		}
		if count < limit {
			table[count] = last + first
		}
		count++
		last = table[code]
		out.WriteString(last)
	}
	return out.String()
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	codes := compress(text)
	sum := 0
	for _, c := range codes {
		sum = (sum*31 + c) % 1000003
	}
	fmt.Printf("%d characters, %d codes, sum %d, back %t\n", len(text), len(codes), sum, expand(codes) == string(text))
}
