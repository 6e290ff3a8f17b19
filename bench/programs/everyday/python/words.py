import re
import sys

counts = {}
with open(sys.argv[1]) as f:
    for line in f:
        for w in re.findall("[A-Za-z]+", line):
            counts[w] = counts.get(w, 0) + 1
for w, n in sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:10]:
    print(w, n)
print(len(counts), "words")
