import queue
import sys
import threading

PRODUCERS = CONSUMERS = 4
n = int(sys.argv[1])
buffer = queue.Queue(64)
sums = [0] * CONSUMERS


def produce(i):
    for k in range(i, n, PRODUCERS):
        buffer.put(k)


def consume(i):
    while (k := buffer.get()) is not None:
        sums[i] = (sums[i] + k * 7) % 1000003


ps = [threading.Thread(target=produce, args=(i,)) for i in range(PRODUCERS)]
cs = [threading.Thread(target=consume, args=(i,)) for i in range(CONSUMERS)]
for t in ps + cs:
    t.start()
for t in ps:
    t.join()
for _ in cs:
    buffer.put(None)
for t in cs:
    t.join()
print(f"{n} things, sum {sum(sums) % 1000003}")
