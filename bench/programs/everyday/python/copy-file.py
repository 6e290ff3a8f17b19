import os
import sys
import tempfile


def copy(name):
    with open(sys.argv[1], "rb") as source, open(name, "wb") as out:
        while block := source.read(65536):
            out.write(block)


handle, name = tempfile.mkstemp()
os.close(handle)
for _ in range(20):
    copy(name)
with open(name, "rb") as f:
    data = f.read()
print(f"{len(data)} bytes, sum {sum(data) % 1000003}")
os.remove(name)
