import sys


def text(n, x):
    letters = []
    for _ in range(n):
        x = x * 16807 % 2147483647
        letters.append(chr(97 + x % 5))
    return "".join(letters)


def distance(a, b):
    above = list(range(len(b) + 1))
    for i, x in enumerate(a):
        here = [i + 1]
        for j, y in enumerate(b):
            here.append(min(above[j] + (x != y), above[j + 1] + 1, here[j] + 1))
        above = here
    return above[-1]


def load(items, room):
    best = [0] * (room + 1)
    for weight, value in items:
        for w in range(room, weight - 1, -1):
            best[w] = max(best[w], best[w - weight] + value)
    return best[room]


n = int(sys.argv[1])
items = [(1 + i * 37 % 91, 10 + i * 53 % 97) for i in range(200)]
print("distance", distance(text(n, 1), text(n, 2)))
print("load worth", load(items, n * 10))
