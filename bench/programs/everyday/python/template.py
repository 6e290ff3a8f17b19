import html
import re
import sys

PAGE = (
    "<h1>{title}</h1>\n<p>Dear {name}, your order of {count} pieces of {thing} from {date} is on its way.\n"
    "<p>It costs {price}; {missing} is left.\n<footer>{name} &middot; {title}</footer>\n"
)
NAME = re.compile(r"\{(\w+)\}")


def expand(values):
    return NAME.sub(lambda m: html.escape(values.get(m[1], "?"), quote=False), PAGE)


total = checksum = 0
for i in range(int(sys.argv[1])):
    text = expand(
        {
            "title": f"Order <{i}>",
            "name": f"Ms. {i % 97} & Co",
            "count": str(i % 13),
            "thing": "bread" if i % 2 == 0 else "salt",
            "date": f"2026-11-{1 + i % 30:02}",
            "price": f"{i * 0.37:.2f}",
        }
    )
    total += len(text)
    checksum = (checksum * 31 + ord(text[len(text) // 2])) % 1000003
print(f"{total} characters, sum {checksum}")
