// service.go: the same service with Go's net/http and a map under a mutex, for comparison.
package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type note struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

type draft struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

type store struct {
	sync.RWMutex
	notes map[string]note
}

var requests [600]atomic.Int64

func v7() string {
	var b [16]byte
	rand.Read(b[6:])
	ms := time.Now().UnixMilli()
	for i := 0; i < 6; i++ {
		b[i] = byte(ms >> (40 - 8*i))
	}
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

func answer(w http.ResponseWriter, status int, x any) {
	w.Header().Set("Content-Type", "application/json")
	requests[status].Add(1)
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(x)
}

func refuse(w http.ResponseWriter, status int, text string) {
	answer(w, status, map[string]string{"error": text})
}

func body(w http.ResponseWriter, r *http.Request) (draft, bool) {
	var d draft
	decoder := json.NewDecoder(io.LimitReader(r.Body, 1000000))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		refuse(w, 400, err.Error())
		return d, false
	}
	if d.Title == "" || len(d.Title) > 200 {
		refuse(w, 400, "the title is empty or too long")
		return d, false
	}
	return d, true
}

func main() {
	port := flag.Int("port", 8080, "")
	timeout := flag.Duration("handler-time", 10*time.Second, "how long a request may take; 0: any time")
	cert := flag.String("cert", "", "a certificate in PEM: HTTPS")
	key := flag.String("key", "", "its key")
	flag.Parse()
	s := &store{notes: map[string]note{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /notes", func(w http.ResponseWriter, r *http.Request) {
		s.RLock()
		all := make([]note, 0, len(s.notes))
		for _, n := range s.notes {
			all = append(all, n)
		}
		s.RUnlock()
		sort.Slice(all, func(i, j int) bool { return all[i].ID > all[j].ID })
		answer(w, 200, all[:min(100, len(all))])
	})
	mux.HandleFunc("POST /notes", func(w http.ResponseWriter, r *http.Request) {
		if d, ok := body(w, r); ok {
			n := note{v7(), d.Title, d.Text}
			s.Lock()
			s.notes[n.ID] = n
			s.Unlock()
			w.Header().Set("Location", "/notes/"+n.ID)
			answer(w, 201, n)
		}
	})
	mux.HandleFunc("GET /notes/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.RLock()
		n, ok := s.notes[r.PathValue("id")]
		s.RUnlock()
		if ok {
			answer(w, 200, n)
		} else {
			refuse(w, 404, "there is no such note")
		}
	})
	mux.HandleFunc("PUT /notes/{id}", func(w http.ResponseWriter, r *http.Request) {
		if d, ok := body(w, r); ok {
			n := note{r.PathValue("id"), d.Title, d.Text}
			s.Lock()
			_, there := s.notes[n.ID]
			if there {
				s.notes[n.ID] = n
			}
			s.Unlock()
			if there {
				answer(w, 200, n)
			} else {
				refuse(w, 404, "there is no such note")
			}
		}
	})
	mux.HandleFunc("DELETE /notes/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.Lock()
		_, there := s.notes[r.PathValue("id")]
		delete(s.notes, r.PathValue("id"))
		s.Unlock()
		if there {
			w.WriteHeader(204)
		} else {
			refuse(w, 404, "there is no such note")
		}
	})
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "ok\n") })
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		slog.Error(err.Error())
		os.Exit(1)
	}
	var handler http.Handler = mux
	if *timeout > 0 {
		handler = http.TimeoutHandler(mux, *timeout, "")
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	slog.Info("listening", "port", listener.Addr().(*net.TCPAddr).Port)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *cert == "" {
		go server.Serve(listener)
	} else {
		// HTTP/1.1, as Leat's service: HTTP/2 has no entry here
		server.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){}
		go server.ServeTLS(listener, *cert, *key)
	}
	<-ctx.Done()
	server.Shutdown(context.Background())
}
