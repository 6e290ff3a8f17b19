import sys

sys.setrecursionlimit(100000)


def evaluate(env, e):
    kind = e[0]
    if kind == "number":
        return e[1]
    if kind == "var":
        return env[e[1]]
    if kind == "op":
        x, y = evaluate(env, e[1]), evaluate(env, e[3])
        op = e[2]
        return x + y if op == "+" else x - y if op == "-" else x * y % 1000003 if op == "*" else int(x < y)
    if kind == "if":
        return evaluate(env, e[2] if evaluate(env, e[1]) else e[3])
    if kind == "fun":
        return (e[1], e[2], env)
    if kind == "call":
        x, body, closed = evaluate(env, e[1])
        return evaluate({**closed, x: evaluate(env, e[2])}, body)
    _, f, x, body, rest = e
    env = dict(env)
    env[f] = (x, body, env)
    return evaluate(env, rest)


def number(n):
    return ("number", n)


def var(x):
    return ("var", x)


def op(a, o, b):
    return ("op", a, o, b)


def call(f, a):
    return ("call", f, a)


def minus(k):
    return op(var("n"), "-", number(k))


def program(n):
    fib = ("if", op(var("n"), "<", number(2)), var("n"), op(call(var("fib"), minus(1)), "+", call(var("fib"), minus(2))))
    total = ("if", op(number(0), "<", var("n")), op(op(var("n"), "*", var("n")), "+", call(var("sum"), minus(1))), number(0))
    twice = ("fun", "g", ("fun", "x", call(var("g"), call(var("g"), var("x")))))
    add = ("fun", "y", op(var("y"), "+", number(3)))
    main = op(op(call(var("fib"), number(n)), "+", call(var("sum"), number(n * 20))), "+", call(call(twice, add), number(5)))
    return ("let", "fib", "n", fib, ("let", "sum", "n", total, main))


print(evaluate({}, program(int(sys.argv[1]))))
