import csv
import sys

cities = {}
with open(sys.argv[1], newline="") as f:
    rows = csv.reader(f)
    next(rows)
    for _, _, city, amount, count in rows:
        amount = float(amount)
        lines, total, most = cities.get(city, (0, 0.0, 0.0))
        cities[city] = (lines + 1, total + amount * int(count), max(most, amount))
for city in sorted(cities):
    lines, total, most = cities[city]
    print(f"{city:8}{lines} {total:.2f} {most:.2f}")
