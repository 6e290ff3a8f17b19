import heapq
import sys

n = int(sys.argv[1])
costs, x = [], 1
for _ in range(n * n):
    x = x * 16807 % 2147483647
    costs.append(1 + x % 9)
best = [sys.maxsize] * (n * n)
best[0] = 0
queue = [(0, 0)]
while queue:
    cost, place = heapq.heappop(queue)
    if cost > best[place]:
        continue
    row, column = divmod(place, n)
    for there, p in ((row > 0, place - n), (row < n - 1, place + n), (column > 0, place - 1), (column < n - 1, place + 1)):
        if there and cost + costs[p] < best[p]:
            best[p] = cost + costs[p]
            heapq.heappush(queue, (best[p], p))
print(f"the other corner costs {best[-1]}, the farthest place {max(best)}")
