import sys

with open(sys.argv[1]) as f:
    lines = sorted(f.readlines())
total = 0
for i, line in enumerate(lines):
    total = (total * 31 + i * len(line) + ord(line[0])) % 1000003
print(f"{lines[0]}{lines[-1]}{total}")
