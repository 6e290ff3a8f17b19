import sys

n = int(sys.argv[1])
x, same, digits, total = 1, 0, 0, 0.0
for _ in range(n):
    y = x * 16807 % 2147483647
    r = x / (1.0 + y % 1000003)
    if float(repr(r)) == r:
        same += 1
    short = f"{r:.6f}"
    sci = f"{r:.4e}"
    # SML has exponents without a sign and leading zeroes.
    digits += len(short) + len(sci) - 2
    if sci[-3] == "-":
        digits += 1
    if sci[-2] != "0":
        digits += 1
    total += float(short)
    x = y
e = 0
while total >= 10:
    total /= 10
    e += 1
print(f"{same} {digits} {total:.4f}E{e}")
