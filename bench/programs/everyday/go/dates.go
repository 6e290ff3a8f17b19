package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	letters, same, seconds, last := 0, 0, 0, ""
	for i := 0; i < n; i++ {
		t := time.Unix(int64(946684800+i*8641), 0)
		date := t.UTC()
		text := date.Format("2006-01-02 15:04:05")
		again, err := time.Parse(time.ANSIC, date.Format(time.ANSIC))
		if err == nil && again.Equal(date) {
			same++
		}
		seconds += t.Local().Second()
		letters += int(text[9]-'0') + int(text[12]-'0')
		last = text
	}
	fmt.Println(last)
	fmt.Println(letters, same, seconds)
}
