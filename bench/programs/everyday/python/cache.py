import sys
from collections import OrderedDict

ROOM = 10000
n = int(sys.argv[1])
cache = OrderedDict()
hits, total, x = 0, 0, 1
for _ in range(n):
    y = x * 16807 % 2147483647
    k = y % 200 * (x % 200) % 30011
    x = y
    key = f"user-{k}"
    if key in cache:
        cache.move_to_end(key)
        hits += 1
        total = (total * 31 + cache[key]) % 1000003
    else:
        if len(cache) >= ROOM:
            cache.popitem(last=False)
        cache[key] = k * 7 % 1009
print(f"{hits} hits of {n}, sum {total}")
