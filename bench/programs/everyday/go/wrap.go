package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

func main() {
	in, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	out, err := os.CreateTemp("", "wrap")
	if err != nil {
		panic(err)
	}
	w := bufio.NewWriter(out)
	column, lines := 0, 1
	s := bufio.NewScanner(in)
	for s.Scan() {
		for _, word := range strings.Fields(s.Text()) {
			switch {
			case column == 0:
				column = len(word)
			case column+1+len(word) > 60:
				w.WriteByte('\n')
				column = len(word)
				lines++
			default:
				w.WriteByte(' ')
				column += 1 + len(word)
			}
			w.WriteString(word)
		}
	}
	w.WriteByte('\n')
	w.Flush()
	info, _ := out.Stat()
	fmt.Printf("%d lines, %d characters, the last line has %d\n", lines, info.Size(), column)
	out.Close()
	os.Remove(out.Name())
}
