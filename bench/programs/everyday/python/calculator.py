import re
import sys

TOKEN = re.compile(r"\s*(?:(\d+)|([a-zA-Z]\w*)|(.))")
VALUES = {"x": 3, "y": 5, "width": 11}


def tokens(text):
    return [int(n) if n else w or s for n, w, s in TOKEN.findall(text)]


class Parser:
    def __init__(self, rest):
        self.rest, self.i = rest + [None], 0

    def next(self, c):
        if self.rest[self.i] == c:
            self.i += 1
            return True
        return False

    def sum(self):
        v = self.product()
        while True:
            if self.next("+"):
                v = (v + self.product()) % 1000003
            elif self.next("-"):
                v = (v - self.product()) % 1000003
            else:
                return v

    def product(self):
        v = self.factor()
        while self.next("*"):
            v = v * self.factor() % 1000003
        return v

    def factor(self):
        if self.next("("):
            v = self.sum()
            assert self.next(")")
            return v
        t = self.rest[self.i]
        self.i += 1
        return t if isinstance(t, int) else VALUES.get(t, 1)


total = count = 0
for i in range(int(sys.argv[1])):
    l = tokens(f"({i} + x*{i % 17}) * (width - {i % 7}) + y * (2 + z1) * {i * 37 % 101}")
    total = (total * 31 + Parser(l).sum()) % 1000003
    count += len(l)
print(f"{count} tokens, sum {total}")
