import sys

lines, stops, longest = 0, 0, ""
with open(sys.argv[1]) as f:
    for line in f:
        lines += 1
        if line.endswith(".\n"):
            stops += 1
        if len(line) > len(longest):
            longest = line
print(f"{lines} lines, {stops} with a full stop\n{longest}", end="")
