// A file server in Go, to compare httpd with. usage: httpd-go PORT ROOT [kept]
// kept: files are read once and kept in memory, as httpd keeps small ones (which looks each time whether they have changed).
package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

type file struct {
	modified time.Time
	text     []byte
}

var kept sync.Map

func serveKept(root string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path := filepath.Join(root, filepath.Clean("/"+r.URL.Path))
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			http.NotFound(w, r)
			return
		}
		was, ok := kept.Load(path)
		if !ok || !was.(file).modified.Equal(info.ModTime()) {
			text, err := os.ReadFile(path)
			if err != nil {
				http.NotFound(w, r)
				return
			}
			was = file{info.ModTime(), text}
			kept.Store(path, was)
		}
		http.ServeContent(w, r, path, was.(file).modified, bytes.NewReader(was.(file).text))
	}
}

func main() {
	var handler http.Handler = http.FileServer(http.Dir(os.Args[2]))
	if len(os.Args) > 3 && os.Args[3] == "kept" {
		handler = serveKept(os.Args[2])
	}
	server := &http.Server{
		Addr:              ":" + os.Args[1],
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
	}
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
}
