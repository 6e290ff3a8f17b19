import base64
import hashlib
import sys

h = hashlib.sha256()
with open(sys.argv[1], "rb") as f:
    while block := f.read(65536):
        h.update(block)
print(h.hexdigest())
with open(sys.argv[1], "rb") as f:
    data = f.read()
text = base64.b64encode(data).decode()
print(f"{len(text)} characters, {text[:12]}, back {'true' if base64.b64decode(text) == data else 'false'}")
