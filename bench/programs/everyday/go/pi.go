package main

import (
	"fmt"
	"math/big"
	"os"
	"strconv"
)

func pow(b, e int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(b), big.NewInt(e), nil)
}

func arctan(inverse int64, unity *big.Int) *big.Int {
	square := big.NewInt(inverse * inverse)
	term := new(big.Int).Div(unity, big.NewInt(inverse))
	sum, part := new(big.Int), new(big.Int)
	for n, add := int64(1), true; term.Sign() != 0; n, add = n+2, !add {
		part.Div(term, big.NewInt(n))
		if add {
			sum.Add(sum, part)
		} else {
			sum.Sub(sum, part)
		}
		term.Div(term, square)
	}
	return sum
}

func pi(digits int64) *big.Int {
	unity := pow(10, digits+10)
	sum := new(big.Int).Mul(big.NewInt(4), arctan(5, unity))
	sum.Sub(sum, arctan(239, unity))
	sum.Mul(sum, big.NewInt(4))
	return sum.Div(sum, pow(10, 10))
}

func fibonacci(n int64) (*big.Int, *big.Int) {
	if n == 0 {
		return big.NewInt(0), big.NewInt(1)
	}
	a, b := fibonacci(n / 2)
	c := new(big.Int).Lsh(b, 1)
	c.Sub(c, a).Mul(c, a)
	d := new(big.Int).Mul(a, a)
	d.Add(d, new(big.Int).Mul(b, b))
	if n%2 == 0 {
		return c, d
	}
	return d, c.Add(c, d)
}

func ends(n *big.Int) {
	text := n.String()
	fmt.Printf("%s..%s, %d digits\n", text[:10], text[len(text)-10:], len(text))
}

func main() {
	n, _ := strconv.ParseInt(os.Args[1], 10, 64)
	ends(pi(n))
	f, _ := fibonacci(100 * n)
	ends(f)
	prime := new(big.Int).Sub(pow(2, 2203), big.NewInt(1))
	ends(new(big.Int).Exp(big.NewInt(3), pow(7, n/15), prime))
}
