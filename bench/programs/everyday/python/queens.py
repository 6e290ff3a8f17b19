import sys


def is_safe(q, placed):
    d = len(placed)
    for p in placed:
        if q == p or q == p + d or q == p - d:
            return False
        d -= 1
    return True


def count(n, placed):
    if len(placed) == n:
        return 1
    return sum(count(n, placed + [q]) for q in range(1, n + 1) if is_safe(q, placed))


print(count(int(sys.argv[1]), []))
