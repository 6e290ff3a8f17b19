package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

type part struct {
	text   string
	isName bool
}

func parse(template string) []part {
	var parts []part
	for {
		text, rest, found := strings.Cut(template, "{")
		parts = append(parts, part{text, false})
		if !found {
			return parts
		}
		name, rest, _ := strings.Cut(rest, "}")
		parts = append(parts, part{name, true})
		template = rest
	}
}

var escape = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;")

func expand(parts []part, values map[string]string) string {
	var out strings.Builder
	for _, p := range parts {
		if !p.isName {
			out.WriteString(p.text)
		} else if v, ok := values[p.text]; ok {
			out.WriteString(escape.Replace(v))
		} else {
			out.WriteString("?")
		}
	}
	return out.String()
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	page := parse("<h1>{title}</h1>\n<p>Dear {name}, your order of {count} pieces of {thing} from {date} is on its way.\n" +
		"<p>It costs {price}; {missing} is left.\n<footer>{name} &middot; {title}</footer>\n")
	total, sum := 0, 0
	for i := range n {
		thing := "salt"
		if i%2 == 0 {
			thing = "bread"
		}
		text := expand(page, map[string]string{
			"title": "Order <" + strconv.Itoa(i) + ">",
			"name":  "Ms. " + strconv.Itoa(i%97) + " & Co",
			"count": strconv.Itoa(i % 13),
			"thing": thing,
			"date":  fmt.Sprintf("2026-11-%02d", 1+i%30),
			"price": fmt.Sprintf("%.2f", float64(i)*0.37),
		})
		total += len(text)
		sum = (sum*31 + int(text[len(text)/2])) % 1000003
	}
	fmt.Printf("%d characters, sum %d\n", total, sum)
}
