package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

var n int

func makeTree(folder string, depth int) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		panic(err)
	}
	for i := range n {
		name := filepath.Join(folder, "file"+strconv.Itoa(i)+".txt")
		os.WriteFile(name, []byte(strings.Repeat("x", i*100)), 0o644)
	}
	if depth > 0 {
		for i := range 3 {
			makeTree(filepath.Join(folder, "folder"+strconv.Itoa(i)), depth-1)
		}
	}
}

func main() {
	n, _ = strconv.Atoi(os.Args[1])
	top, err := os.MkdirTemp("", "walk")
	if err != nil {
		panic(err)
	}
	makeTree(top, min(n, 5))
	var count, bytes, long int
	for range 10 {
		count, bytes, long = 0, 0, 0
		filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			if !d.IsDir() {
				info, _ := d.Info()
				count++
				bytes += int(info.Size())
				long = max(long, len(path)-len(top))
			}
			return nil
		})
	}
	fmt.Printf("%d files, %d bytes, the longest path %d\n", count, bytes, long)
	os.RemoveAll(top)
}
