// A load generator for the service of notes (examples/service) on the loopback.
//
// usage: notes [-tls] [-new] CONNECTIONS SECONDS COMMAND ...
// Starts the service by COMMAND, in which PORT is a free port. Each connection is kept, and does over and over: a note
// is added, read, changed, read again, the health asked for, the note removed. Only answers that are right count.
// Prints, for the lab: nanoseconds a request by the clock, the service's CPU time of it, the most memory that it had,
// and within how many microseconds half, 99 and 99.9 of 100 answers came. A second before that is not measured, nor is
// how long it takes to connect.
//
// -tls: by HTTPS. In COMMAND, CERT.PEM and KEY.PEM are files with a certificate that was made for this run, and its
// key. The two sides must agree on TLS 1.3 with AES-128-GCM and X25519: all services are to do the same work.
// -new: no connection is kept; so many at a time are made, asked for the health, and closed. What is measured is one
// of them, with its request; no session of TLS is resumed.
package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

type note struct{ ID, Title, Text string }

// One connection, and the times of its answers. Without `secure` it is plain.
type client struct {
	address string
	secure  *tls.Config
	conn    net.Conn
	read    *bufio.Reader
	times   []time.Duration
}

func (c *client) connect() error {
	conn, err := net.Dial("tcp", c.address)
	if err != nil {
		return err
	}
	if c.secure != nil {
		over := tls.Client(conn, c.secure)
		if err := over.Handshake(); err != nil {
			return err
		}
		conn = over
	}
	c.conn, c.read = conn, bufio.NewReader(conn)
	return nil
}

// One request and its answer's body; the answer must have this status.
func (c *client) ask(method, path, body string, status int) ([]byte, error) {
	length := ""
	if body != "" {
		length = fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body))
	}
	start := time.Now()
	const form = "%s %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n%s"
	if _, err := fmt.Fprintf(c.conn, form, method, path, length, body); err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(c.read, nil)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(answer.Body)
	c.times = append(c.times, time.Since(start))
	if err == nil && answer.StatusCode != status {
		err = fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	return content, err
}

// A note's life.
func (c *client) round(number int) error {
	text := fmt.Sprintf(`{"title": "note %d", "text": "%s"}`, number, strings.Repeat("What is to be done. ", 10))
	added, err := c.ask("POST", "/notes", text, 201)
	if err != nil {
		return err
	}
	var made note
	if err := json.Unmarshal(added, &made); err != nil {
		return err
	}
	path := "/notes/" + made.ID
	for _, step := range []struct {
		method, path, body string
		status             int
		has                string
	}{
		{"GET", path, "", 200, "to be done"},
		{"PUT", path, `{"title": "done", "text": "It was."}`, 200, "It was."},
		{"GET", path, "", 200, "It was."},
		{"GET", "/health", "", 200, "ok"},
		{"DELETE", path, "", 204, ""},
	} {
		content, err := c.ask(step.method, step.path, step.body, step.status)
		if err != nil {
			return err
		}
		if !strings.Contains(string(content), step.has) {
			return fmt.Errorf("%s %s: %q", step.method, step.path, content)
		}
	}
	return nil
}

// A connection's life: its time is that of all of it.
func (c *client) visit() error {
	start := time.Now()
	if err := c.connect(); err != nil {
		return err
	}
	content, err := c.ask("GET", "/health", "", 200)
	if err != nil {
		return err
	}
	if string(content) != "ok\n" {
		return fmt.Errorf("GET /health: %q", content)
	}
	c.conn.Close()
	c.times[len(c.times)-1] = time.Since(start)
	return nil
}

// What a second of load is made of: how many connections, to which process.
type load struct {
	address     string
	secure      *tls.Config
	isNew       bool
	connections int
	pid         int
}

// All connections at once until the time is over: the times of all answers, how long it took, and the CPU time.
func (l load) run(length time.Duration) (times []time.Duration, span, used time.Duration) {
	clients := make([]*client, l.connections)
	for i := range clients {
		clients[i] = &client{address: l.address, secure: l.secure}
		if !l.isNew {
			if err := clients[i].connect(); err != nil {
				fail(err)
			}
		}
	}
	before, begin := cpu(l.pid), time.Now()
	var all sync.WaitGroup
	for _, c := range clients {
		all.Go(func() {
			for number := 0; time.Since(begin) < length; number++ {
				var err error
				if l.isNew {
					err = c.visit()
				} else {
					err = c.round(number)
				}
				if err != nil {
					fail(err)
				}
			}
		})
	}
	all.Wait()
	span, used = time.Since(begin), cpu(l.pid)-before
	for _, c := range clients {
		if !l.isNew {
			c.conn.Close()
		}
		times = append(times, c.times...)
	}
	return times, span, used
}

// Writes a certificate for localhost and its key into a folder; how a client speaks TLS with who has them.
func certificate(folder string) (*tls.Config, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "localhost"},
		DNSNames:     []string{"localhost"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	made, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		os.WriteFile(filepath.Join(folder, "cert.pem"), block("CERTIFICATE", made), 0o600),
		os.WriteFile(filepath.Join(folder, "key.pem"), block("PRIVATE KEY", private), 0o600))
	check := func(state tls.ConnectionState) error {
		if !bytes.Equal(state.PeerCertificates[0].Raw, made) {
			return errors.New("another certificate")
		}
		version, cipher := tls.VersionName(state.Version), tls.CipherSuiteName(state.CipherSuite)
		agreed := fmt.Sprintf("%s, %s, %s, %s", version, cipher, state.CurveID, state.NegotiatedProtocol)
		if agreed != "TLS 1.3, TLS_AES_128_GCM_SHA256, X25519, http/1.1" {
			return fmt.Errorf("the two sides have agreed on %s", agreed)
		}
		return nil
	}
	return &tls.Config{
		// the certificate is compared, which is quicker than to find out who is trusted
		InsecureSkipVerify: true,
		VerifyConnection:   check,
		ServerName:         "localhost",
		MinVersion:         tls.VersionTLS13,
		CurvePreferences:   []tls.CurveID{tls.X25519},
		NextProtos:         []string{"http/1.1"},
	}, err
}

func block(kind string, content []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
}

// The processor time of a process so far.
func cpu(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(text)[strings.LastIndex(string(text), ")")+1:])
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond
}

func main() {
	isSecure := flag.Bool("tls", false, "")
	isNew := flag.Bool("new", false, "")
	flag.Parse()
	if flag.NArg() < 3 {
		fail("usage: notes [-tls] [-new] CONNECTIONS SECONDS COMMAND ...")
	}
	connections, seconds := number(flag.Arg(0)), number(flag.Arg(1))
	var secure *tls.Config
	var files []string
	if *isSecure {
		folder, err := os.MkdirTemp("", "notes")
		if err == nil {
			defer os.RemoveAll(folder)
			secure, err = certificate(folder)
		}
		if err != nil {
			fail(err)
		}
		files = []string{"CERT.PEM", filepath.Join(folder, "cert.pem"), "KEY.PEM", filepath.Join(folder, "key.pem")}
	}
	service, address := started(flag.Args()[2:], nil, files...)
	all := load{address, secure, *isNew, connections, service.Process.Pid}
	all.run(time.Second)
	times, span, used := all.run(time.Duration(seconds) * time.Second)
	memory := status(service.Process.Pid, "VmHWM")
	service.Process.Signal(syscall.SIGTERM)
	if err := service.Wait(); err != nil {
		fail(err)
	}
	sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
	within := func(part float64) int64 { return times[int(part*float64(len(times)-1))].Microseconds() }
	what := "request"
	if *isNew {
		what = "connection"
	}
	fmt.Printf("%s %d\n", what, span.Nanoseconds()/int64(len(times)))
	fmt.Printf("cpu %d\n", used.Nanoseconds()/int64(len(times)))
	fmt.Printf("resident-KB %s\n", memory)
	fmt.Printf("half-within-us %d\n", within(0.5))
	fmt.Printf("99%%-within-us %d\n", within(0.99))
	fmt.Printf("99.9%%-within-us %d\n", within(0.999))
}
