# The same reals by Python's repr, in the form of SML's EXACT.
import math
import struct
import sys
from decimal import Decimal


def exact(x):
    sign, digits, exponent = Decimal(repr(x)).as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    places = len(text) + exponent
    text = text.rstrip("0")
    if not text:
        return "~0.0" if sign else "0.0"
    return ("~" if sign else "") + "0." + text + (("E" + str(places).replace("-", "~")) if places else "")


seed = 1
lines = []
for _ in range(int(sys.argv[1])):
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    w = seed ^ (seed >> 29)
    x = struct.unpack(">d", w.to_bytes(8, "big"))[0]
    if math.isfinite(x):
        line = exact(x)
        if 1e-9 < abs(x) < 1e15:
            line += " " + ("%.6f" % x).replace("-", "~")
        lines.append(line)
print("\n".join(lines))
