import sys
from concurrent.futures import ProcessPoolExecutor


def steps(k):
    n = 0
    while k != 1:
        k = k // 2 if k % 2 == 0 else 3 * k + 1
        n += 1
    return n


def most(first):
    return max(steps(first + i) for i in range(1000))


if __name__ == "__main__":
    n = int(sys.argv[1])
    # Threads of Python do not compute at one time; processes do.
    with ProcessPoolExecutor() as pool:
        results = list(pool.map(most, [1 + 1000 * i for i in range(n)], chunksize=10))
    total = 0
    for m in results:
        total = (total * 31 + m) % 1000003
    print(f"the most steps are {max(results)}, sum {total}")
