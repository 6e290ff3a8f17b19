import sys


def step(old, n):
    board = []
    for i in range(n):
        up, here, down = old[i - 1], old[i], old[(i + 1) % n]
        row = []
        for j in range(n):
            l, r = j - 1, (j + 1) % n
            around = up[l] + up[j] + up[r] + here[l] + here[r] + down[l] + down[j] + down[r]
            row.append(1 if around == 3 or around == 2 and here[j] else 0)
        board.append(row)
    return board


n = int(sys.argv[1])
x, board = 1, []
for i in range(n):
    row = []
    for j in range(n):
        x = x * 16807 % 2147483647
        row.append(1 if x % 3 == 0 else 0)
    board.append(row)
for _ in range(100):
    board = step(board, n)
print(sum(map(sum, board)), "cells live")
