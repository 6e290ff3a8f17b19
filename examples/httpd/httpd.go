// A file server in Go, to compare httpd with. usage: httpd-go PORT ROOT
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"
)

func main() {
	server := &http.Server{
		Addr:              ":" + os.Args[1],
		Handler:           http.FileServer(http.Dir(os.Args[2])),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
	}
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
}
