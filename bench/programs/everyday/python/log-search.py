import re
import sys

problem = re.compile(r"(ERROR|WARN) ([a-z]+): from ([0-9]+)\.([0-9]+)\.[0-9]+\.[0-9]+ took ([0-9]+) ms")
slow = re.compile(r"took [1-9][0-9][0-9][0-9] ms")
problems = spent = slows = 0
with open(sys.argv[1]) as f:
    for line in f:
        if slow.search(line):
            slows += 1
        m = problem.search(line)
        if m:
            problems += 1
            spent += int(m[5])
print(f"{problems} problems took {spent} ms; {slows} slow")
