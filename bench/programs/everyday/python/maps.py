import sys

n = int(sys.argv[1])


def numbers(x, count):
    for _ in range(count):
        yield x % n
        x = x * 16807 % 2147483647


ints = {}
for x in numbers(1, n):
    ints[x] = ints.get(x, 0) + 1
found = sum(ints.get(x, 0) for x in numbers(7, n))
count = len(ints)
for x in numbers(11, n // 2):
    ints.pop(x, None)
total = 0
for k in sorted(ints):
    total = (total * 31 + k * ints[k]) % 1000003
print(count, found, len(ints), total)

strings = {}
for x in numbers(3, n):
    k = f"key{x}"
    strings[k] = strings.get(k, 0) + 1
found = sum(strings.get(f"key{x}", 0) for x in numbers(5, n))
total = 0
for k in sorted(strings):
    total = (total * 31 + len(k) * strings[k]) % 1000003
print(len(strings), found, total)
