# The same operations by Python's integers.
import sys

sys.set_int_max_str_digits(0)
seed = 1


def random(n):
    global seed
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    return (seed >> 33) % n


def operand(most):
    k = random(most + 1)
    bits = random(1 << k)
    times = random(1000000000) + 1
    by = 2 * random(1000000000) + 1
    n = (times << bits) // by
    if random(4) == 0:
        n = (1 << bits) - times
    return n if random(2) == 0 else -n


def number(n):
    return str(n).replace("-", "~")


def shown(n):
    return number(n % 2305843009213693951) + " " + number(n % 9223372036854775783)


def quotient(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def operation():
    which = random(12)
    if which == 0:
        return shown(operand(20) + operand(20))
    if which == 1:
        return shown(operand(20) - operand(20))
    if which == 2:
        return shown(operand(20) * operand(20))
    if which == 3:
        a = operand(20)
        return shown(a * a)
    if which == 4:
        a, b = operand(20), operand(20)
        return shown(a // b) if b else "0"
    if which == 5:
        a, b = operand(20), operand(18)
        return shown(a % b) if b else "0"
    if which == 6:
        a, b = operand(20), operand(20)
        if not b:
            return "0"
        q = quotient(a, b)
        return shown(q + (a - q * b))
    if which == 7:
        a = operand(20)
        return shown(a >> random(1000000))
    if which == 8:
        return shown(operand(20) ^ operand(20))
    if which == 9:
        return shown((operand(20) & operand(20)) + (operand(20) | operand(20)))
    if which == 10:
        a = operand(8)
        return shown(a ** random(60))
    a = operand(16)
    return str(len(number(a))) + " " + shown(a)


print("\n".join(operation() for _ in range(int(sys.argv[1]))))
