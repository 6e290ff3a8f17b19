package main

import (
	"fmt"
	"os"
	"strconv"
)

type exp any
type (
	number int
	name   string
	oper   struct {
		a  exp
		op byte
		b  exp
	}
	cond struct{ c, a, b exp }
	fun  struct {
		x    string
		body exp
	}
	call   struct{ f, a exp }
	letFun struct {
		f, x       string
		body, rest exp
	}
)

// An environment is a list: a persistent map is not in the library.
type env struct {
	name  string
	value any
	rest  *env
}

type closure struct {
	x    string
	body exp
	env  *env
}

func (e *env) lookup(x string) any {
	for ; e != nil; e = e.rest {
		if e.name == x {
			return e.value
		}
	}
	panic("not bound: " + x)
}

func eval(en *env, e exp) any {
	switch e := e.(type) {
	case number:
		return int(e)
	case name:
		return en.lookup(string(e))
	case *oper:
		x, y := eval(en, e.a).(int), eval(en, e.b).(int)
		switch e.op {
		case '+':
			return x + y
		case '-':
			return x - y
		case '*':
			return x * y % 1000003
		}
		if x < y {
			return 1
		}
		return 0
	case *cond:
		if eval(en, e.c).(int) == 0 {
			return eval(en, e.b)
		}
		return eval(en, e.a)
	case *fun:
		return &closure{e.x, e.body, en}
	case *call:
		c := eval(en, e.f).(*closure)
		return eval(&env{c.x, eval(en, e.a), c.env}, c.body)
	case *letFun:
		c := &closure{e.x, e.body, nil}
		c.env = &env{e.f, c, en}
		return eval(c.env, e.rest)
	}
	panic("no expression")
}

func program(n int) exp {
	minus := func(k int) exp { return &oper{name("n"), '-', number(k)} }
	fib := &cond{&oper{name("n"), '<', number(2)}, name("n"),
		&oper{&call{name("fib"), minus(1)}, '+', &call{name("fib"), minus(2)}}}
	sum := &cond{&oper{number(0), '<', name("n")},
		&oper{&oper{name("n"), '*', name("n")}, '+', &call{name("sum"), minus(1)}}, number(0)}
	twice := &fun{"g", &fun{"x", &call{name("g"), &call{name("g"), name("x")}}}}
	add := &fun{"y", &oper{name("y"), '+', number(3)}}
	return &letFun{"fib", "n", fib, &letFun{"sum", "n", sum,
		&oper{&oper{&call{name("fib"), number(n)}, '+', &call{name("sum"), number(n * 20)}}, '+',
			&call{&call{twice, add}, number(5)}}}}
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	fmt.Println(eval(nil, program(n)))
}
