import sys
from datetime import datetime, timezone

n = int(sys.argv[1])
letters = same = seconds = 0
last = ""
for i in range(n):
    t = 946684800 + i * 8641
    date = datetime.fromtimestamp(t, timezone.utc)
    last = date.strftime("%Y-%m-%d %H:%M:%S")
    again = datetime.strptime(date.ctime(), "%a %b %d %H:%M:%S %Y")
    if again == date.replace(tzinfo=None):
        same += 1
    seconds += datetime.fromtimestamp(t).second
    letters += int(last[9]) + int(last[12])
print(last)
print(letters, same, seconds)
