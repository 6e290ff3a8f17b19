import json
import os
import sys
import tempfile


def read(name):
    with open(name) as f:
        items = json.load(f)
    stock = sum(item["stock"] for item in items)
    worth = sum(item["stock"] * item["price"] for item in items)
    letters = sum(len(item["name"]) for item in items)
    tags = sum(len(item["tags"]) for item in items)
    print(f"{stock} in stock, worth {worth:.0f}, names of {letters} letters, {tags} tags")
    return items


items = read(sys.argv[1])
handle, copy = tempfile.mkstemp()
with open(handle, "w") as f:
    json.dump(items, f)
read(copy)
os.remove(copy)
