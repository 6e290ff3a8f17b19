import sys

WORDS = ["bread", "butter", "salt", "water", "flour", "yeast", "olives"]


def line(i):
    return f"{i:8} | {WORDS[i % 7]:10} | {i * 37 % 65536:06X} | {'true' if i % 3 == 0 else 'false'}"


def checksum(text):
    s = 7
    for c in text.encode():
        s = (s * 31 + c) % 1000003
    return s


n = int(sys.argv[1])
table = "\n".join(line(i) for i in range(n))
print(f"{len(table)} characters, sum {checksum(table)}")
capitals = table.upper()
print("in capitals", checksum(capitals))
turned = " ".join(reversed(capitals.split()))
print("turned", checksum(turned))
print("escaped", checksum(turned.replace("|", "&#124;").replace(" ", "_")))
