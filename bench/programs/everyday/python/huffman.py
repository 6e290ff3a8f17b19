import heapq
import sys
from collections import Counter

with open(sys.argv[1]) as f:
    text = f.read()
queue = [(n, i, c) for i, (c, n) in enumerate(sorted(Counter(text).items()))]
heapq.heapify(queue)
number = len(queue)
while len(queue) > 1:
    a, b = heapq.heappop(queue), heapq.heappop(queue)
    heapq.heappush(queue, (a[0] + b[0], number, (a[2], b[2])))
    number += 1
root = queue[0][2]
table = {}


def fill(t, bits):
    if isinstance(t, str):
        table[t] = bits
    else:
        fill(t[0], bits + "0")
        fill(t[1], bits + "1")


fill(root, "")
bits = "".join(table[c] for c in text)
back, t = [], root
for bit in bits:
    t = t[0] if bit == "0" else t[1]
    if isinstance(t, str):
        back.append(t)
        t = root
print(f"{len(text)} characters, {len(bits)} bits, back {'true' if ''.join(back) == text else 'false'}")
