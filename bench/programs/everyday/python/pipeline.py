import queue
import sys
import threading

STAGES = 10
n = int(sys.argv[1])


def stage(source, target, i):
    while (x := source.get()) is not None:
        target.put((x * 3 + i) % 1000003)


# Queues of one place: the library has no channels.
queues = [queue.Queue(1) for _ in range(STAGES + 1)]
for i in range(STAGES):
    threading.Thread(target=stage, args=(queues[i], queues[i + 1], i), daemon=True).start()


def feed():
    for k in range(n):
        queues[0].put(k)


threading.Thread(target=feed, daemon=True).start()
total = 0
for _ in range(n):
    total = (total * 31 + queues[-1].get()) % 1000003
print("sum", total)
