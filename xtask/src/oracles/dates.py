# The same moments by zoneinfo, in the zone that the environment names.
import os
import sys
from datetime import datetime
from zoneinfo import ZoneInfo

zone = ZoneInfo(os.environ["TZ"])
seed = 1
lines = []
for _ in range(int(sys.argv[1])):
    seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
    t = (seed >> 33) * 3 % 6000000000 - 2500000000
    lines.append(datetime.fromtimestamp(t, zone).strftime("%Y-%m-%d %H:%M:%S %Z"))
print("\n".join(lines))
