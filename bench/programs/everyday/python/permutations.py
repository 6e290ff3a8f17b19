import sys


def insertions(x, l):
    return [l[:i] + (x,) + l[i:] for i in range(len(l) + 1)]


def permutations(l):
    return [p for m in permutations(l[1:]) for p in insertions(l[0], m)] if l else [()]


n = int(sys.argv[1])
perms = permutations(tuple(range(n)))
moved = sum(all(x != i for i, x in enumerate(p)) for p in perms)
total = 0
for p in perms:
    total = (total * 31 + p[0] * 7 + p[-1]) % 1000003
print(f"{len(perms)} permutations, {moved} move all, sum {total}")
