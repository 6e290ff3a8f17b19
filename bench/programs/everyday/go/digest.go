package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
)

func main() {
	f, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	h := sha256.New()
	io.Copy(h, f)
	f.Close()
	fmt.Printf("%x\n", h.Sum(nil))
	data, _ := os.ReadFile(os.Args[1])
	text := base64.StdEncoding.EncodeToString(data)
	back, _ := base64.StdEncoding.DecodeString(text)
	fmt.Printf("%d characters, %s, back %t\n", len(text), text[:12], bytes.Equal(back, data))
}
