import sys

LIMIT = 65536


def compress(text):
    table, out, code, count = {}, [], text[0], 256
    for c in text[1:]:
        key = code * 256 + c
        if key in table:
            code = table[key]
            continue
        if count < LIMIT:
            table[key] = count
        count += 1
        out.append(code)
        code = c
    return out + [code]


def expand(codes):
    strings = [bytes([i]) for i in range(256)] + [b""] * (LIMIT - 256)
    last, count = strings[codes[0]], 256
    out = [last]
    for code in codes[1:]:
        first = strings[code][:1] if code < count else last[:1]
        if count < LIMIT:
            strings[count] = last + first
        count += 1
        last = strings[code]
        out.append(last)
    return b"".join(out)


with open(sys.argv[1], "rb") as f:
    text = f.read()
codes = compress(text)
total = 0
for c in codes:
    total = (total * 31 + c) % 1000003
print(f"{len(text)} characters, {len(codes)} codes, sum {total}, back {'true' if expand(codes) == text else 'false'}")
