import math
import sys


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(k, a):
    return (k * a[0], k * a[1], k * a[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(a):
    return scale(1 / math.sqrt(dot(a, a)), a)


SPHERES = [((0.0, -1000.0, 0.0), 1000.0, 0.6, 0.1)] + [
    ((i % 4 * 2.2 - 3.3, 1.0, i // 4 * 2.5 + 1.0), 0.9, 0.3 + i % 5 * 0.15, i % 3 * 0.3) for i in range(12)
]
LIGHT = unit((-1.0, 2.0, -1.5))


def nearest(origin, direction):
    best = None
    for s in SPHERES:
        oc = sub(origin, s[0])
        b = dot(oc, direction)
        d = b * b - dot(oc, oc) + s[1] * s[1]
        if d >= 0:
            t = -b - math.sqrt(d)
            if t > 0.001 and (best is None or t < best[0]):
                best = (t, s)
    return best


def trace(origin, direction, depth):
    found = nearest(origin, direction)
    if found is None:
        return 0.2 + 0.3 * max(0.0, direction[1])
    t, (center, _, colour, mirror) = found
    place = add(origin, scale(t, direction))
    normal = unit(sub(place, center))
    shade = max(0.0, dot(normal, LIGHT))
    if shade > 0 and nearest(place, LIGHT) is not None:
        shade = 0.0
    own = colour * (0.2 + 0.8 * shade)
    if depth == 0 or mirror <= 0:
        return own
    turned = sub(direction, scale(2 * dot(direction, normal), normal))
    return (1 - mirror) * own + mirror * trace(place, turned, depth - 1)


n = int(sys.argv[1])
total = 0.0
for j in range(n):
    for i in range(n):
        x = (i + 0.5) / n * 2 - 1
        y = 1 - (j + 0.5) / n * 2
        total += min(1.0, trace((0.0, 3.0, -8.0), unit((x, y - 0.3, 1.5)), 4))
print(f"mean {total / (n * n):.6f}")
