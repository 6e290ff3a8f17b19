import sys

n = int(sys.argv[1])
a = [[float((i * 7 + j * 3) % 11) for j in range(n)] for i in range(n)]
b = [[float((i * 5 + j * 2) % 13) for j in range(n)] for i in range(n)]
c = [[sum(a[i][k] * b[k][j] for k in range(n)) for j in range(n)] for i in range(n)]
print(f"{sum(c[i][i] for i in range(n)):.0f} {sum(map(sum, c)):.0f}")
