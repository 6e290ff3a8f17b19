package main

import (
	"fmt"
	"os"
	"strconv"
)

type token struct {
	kind   byte // 'n', 'w', or 's'
	number int
	word   string
	symbol byte
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func tokens(s string) []token {
	var all []token
	for i := 0; i < len(s); {
		c, start := s[i], i
		switch {
		case c == ' ':
			i++
		case isDigit(c):
			for i < len(s) && isDigit(s[i]) {
				i++
			}
			n, _ := strconv.Atoi(s[start:i])
			all = append(all, token{kind: 'n', number: n})
		case isAlpha(c):
			for i < len(s) && (isAlpha(s[i]) || isDigit(s[i])) {
				i++
			}
			all = append(all, token{kind: 'w', word: s[start:i]})
		default:
			i++
			all = append(all, token{kind: 's', symbol: c})
		}
	}
	return all
}

type parser struct{ rest []token }

func (p *parser) next(c byte) bool {
	if len(p.rest) > 0 && p.rest[0].kind == 's' && p.rest[0].symbol == c {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

func (p *parser) sum() int {
	v := p.product()
	for {
		if p.next('+') {
			v = (v + p.product()) % 1000003
		} else if p.next('-') {
			v = ((v-p.product())%1000003 + 1000003) % 1000003
		} else {
			return v
		}
	}
}

func (p *parser) product() int {
	v := p.factor()
	for p.next('*') {
		v = v * p.factor() % 1000003
	}
	return v
}

func (p *parser) factor() int {
	if p.next('(') {
		v := p.sum()
		if !p.next(')') {
			panic("a parenthesis is open")
		}
		return v
	}
	t := p.rest[0]
	p.rest = p.rest[1:]
	if t.kind == 'n' {
		return t.number
	}
	switch t.word {
	case "x":
		return 3
	case "y":
		return 5
	case "width":
		return 11
	}
	return 1
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	total, count := 0, 0
	for i := range n {
		s := strconv.Itoa
		l := tokens("(" + s(i) + " + x*" + s(i%17) + ") * (width - " + s(i%7) + ") + y * (2 + z1) * " + s(i*37%101))
		p := parser{l}
		total = (total*31 + p.sum()) % 1000003
		count += len(l)
	}
	fmt.Printf("%d tokens, sum %d\n", count, total)
}
