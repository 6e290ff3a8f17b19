// Writes lib/leat/regex/tables.sml, the tables of Unicode that regular expressions need, from Go's package unicode:
//
//	go run xtask/src/regex_unicode.go >lib/leat/regex/tables.sml
//
// A number is written in base 26, its digits A to Z, the last one a to z. A set is its ranges, each as how far its first
// character is behind the end of the range before it, and how many there are besides the first.
package main

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

func number(n int) string {
	text := string(rune('a' + n%26))
	for n /= 26; n > 0; n /= 26 {
		text = string(rune('A'+n%26)) + text
	}
	return text
}

func set(has func(r rune) bool) string {
	var out strings.Builder
	end := 0
	for c := 0; c <= unicode.MaxRune; c++ {
		if !has(rune(c)) {
			continue
		}
		last := c
		for last < unicode.MaxRune && has(rune(last+1)) {
			last++
		}
		out.WriteString(number(c-end) + number(last-c))
		end = last + 1
		c = last
	}
	return out.String()
}

// A string constant over several lines.
func lines(text string, indent string) string {
	const width = 100
	var parts []string
	for len(text) > width {
		parts = append(parts, text[:width])
		text = text[width:]
	}
	parts = append(parts, text)
	return "\"" + strings.Join(parts, "\\\n"+indent+"\\") + "\""
}

func sets(name, comment string, of map[string]func(r rune) bool) {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Printf("\n  (* %s *)\n  val %s =\n    [", comment, name)
	for i, name := range names {
		if i > 0 {
			fmt.Print(",\n     ")
		}
		key := strings.ToLower(strings.ReplaceAll(name, "_", ""))
		fmt.Printf("(\"%s\",\n      %s)", key, lines(set(of[name]), "       "))
	}
	fmt.Print("]\n")
}

func table(tables ...*unicode.RangeTable) func(r rune) bool {
	return func(r rune) bool { return unicode.In(r, tables...) }
}

func main() {
	fmt.Printf("(* Tables of Unicode %s for regular expressions. `go run xtask/src/regex_unicode.go` writes this file, and says\n   how numbers and sets are written. *)\n\nstructure RegexTables' =\nstruct", unicode.Version)

	categories := map[string]func(r rune) bool{}
	for name, t := range unicode.Categories {
		if len(name) == 2 && name != "LC" && name != "Cn" {
			categories[name] = table(t)
		}
	}
	sets("categories", "The general categories but Cn, whose characters are those of no other.", categories)

	scripts := map[string]func(r rune) bool{}
	for name, t := range unicode.Scripts {
		scripts[name] = table(t)
	}
	sets("scripts", "The scripts.", scripts)

	p := unicode.Properties
	alphabetic := []*unicode.RangeTable{unicode.L, unicode.Nl, p["Other_Alphabetic"]}
	sets("properties", "Some properties, and what \\\\w has.", map[string]func(r rune) bool{
		"Alphabetic":  table(alphabetic...),
		"Lowercase":   table(unicode.Ll, p["Other_Lowercase"]),
		"Uppercase":   table(unicode.Lu, p["Other_Uppercase"]),
		"White_Space": table(p["White_Space"]),
		"word":        table(append(alphabetic, unicode.M, unicode.Nd, unicode.Pc, p["Join_Control"])...),
	})

	// Runs of characters that are equally far apart, and whose next spelling is equally far away.
	type run struct{ first, count, stride, delta int }
	var runs []run
	for c := 0; c <= unicode.MaxRune; c++ {
		next := int(unicode.SimpleFold(rune(c)))
		if next == c {
			continue
		}
		delta := next - c
		if n := len(runs) - 1; n >= 0 && runs[n].delta == delta {
			r := &runs[n]
			gap := c - (r.first + (r.count-1)*r.stride)
			if r.count == 1 && gap <= 2 {
				r.stride = gap
				r.count++
				continue
			}
			if r.count > 1 && gap == r.stride {
				r.count++
				continue
			}
		}
		// With a stride of two, every other character belongs to another run.
		if n := len(runs) - 2; n >= 0 && runs[n].delta == delta && c-(runs[n].first+(runs[n].count-1)*runs[n].stride) == 2 &&
			(runs[n].count == 1 || runs[n].stride == 2) {
			runs[n].stride = 2
			runs[n].count++
			continue
		}
		runs = append(runs, run{c, 1, 1, delta})
	}
	var out strings.Builder
	at := 0
	for _, r := range runs {
		delta := 2 * r.delta
		if delta < 0 {
			delta = 1 - delta
		}
		out.WriteString(number(r.first-at) + number(r.count-1) + number(r.stride) + number(delta))
		at = r.first
	}
	fmt.Printf("\n  (* Which characters differ in case alone: runs of characters, each as how far the first is behind the first of the\n     run before, how many there are besides, how far they are apart, and twice how far the next spelling is away, plus\n     1 and without the sign if that is before. After the last spelling comes the first. *)\n  val folds =\n    %s\nend\n", lines(out.String(), "     "))
}
