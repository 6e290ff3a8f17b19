import os
import shutil
import sys
import tempfile

n = int(sys.argv[1])


def make(folder, depth):
    os.makedirs(folder, exist_ok=True)
    for i in range(n):
        with open(os.path.join(folder, f"file{i}.txt"), "w") as f:
            f.write("x" * (i * 100))
    if depth:
        for i in range(3):
            make(os.path.join(folder, f"folder{i}"), depth - 1)


top = tempfile.mkdtemp()
make(top, min(n, 5))
for _ in range(10):
    count = size = longest = 0
    for folder, _, files in os.walk(top):
        for name in files:
            path = os.path.join(folder, name)
            count += 1
            size += os.path.getsize(path)
            longest = max(longest, len(path) - len(top))
print(f"{count} files, {size} bytes, the longest path {longest}")
shutil.rmtree(top)
