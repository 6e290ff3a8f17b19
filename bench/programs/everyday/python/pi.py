import sys

sys.set_int_max_str_digits(0)


def arctan(inverse, unity):
    square = inverse * inverse
    term, n, total, add = unity // inverse, 1, 0, True
    while term:
        total = total + term // n if add else total - term // n
        term //= square
        n += 2
        add = not add
    return total


def pi(digits):
    unity = 10 ** (digits + 10)
    return 4 * (4 * arctan(5, unity) - arctan(239, unity)) // 10**10


def fibonacci(n):
    if n == 0:
        return 0, 1
    a, b = fibonacci(n // 2)
    c, d = a * (2 * b - a), a * a + b * b
    return (c, d) if n % 2 == 0 else (d, c + d)


def ends(n):
    text = str(n)
    print(f"{text[:10]}..{text[-10:]}, {len(text)} digits")


n = int(sys.argv[1])
ends(pi(n))
ends(fibonacci(100 * n)[0])
ends(pow(3, 7 ** (n // 15), 2**2203 - 1))
