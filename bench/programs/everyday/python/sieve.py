import sys

n = int(sys.argv[1])
is_prime = [True] * n
i = 2
while i * i < n:
    if is_prime[i]:
        for j in range(i * i, n, i):
            is_prime[j] = False
    i += 1
count = last = total = 0
for i in range(2, n):
    if is_prime[i]:
        count, last, total = count + 1, i, (total + i) % 1000003
print(f"{count} primes, the last is {last}, sum {total}")
