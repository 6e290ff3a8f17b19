import sys


def make(d):
    return (None, None) if d == 0 else (make(d - 1), make(d - 1))


def count(t):
    return 0 if t is None else 1 + count(t[0]) + count(t[1])


n = int(sys.argv[1])
long = make(n)
for d in range(4, n + 1, 4):
    times = 1 << (n - d + 4)
    print(f"{times} trees of depth {d}: {sum(count(make(d)) for _ in range(times))}")
print(f"the long-lived tree: {count(long)}")
