# D3 in Python: a bytearray, alone and while another thread runs.
import threading, time

SIZE = 4096
UPDATES = 1000000
text = bytearray(SIZE)


def fill(text, n):
    c = 0
    for k in range(n):
        text[k % SIZE] = 32 + c
        c = 0 if c == 90 else c + 1


def timed():
    start = time.perf_counter_ns()
    fill(text, UPDATES)
    return (time.perf_counter_ns() - start) / UPDATES


print("alone %.3f" % min(timed() for _ in range(3)))
stop = False


def other():
    own = bytearray(SIZE)
    while not stop:
        fill(own, 1000)


thread = threading.Thread(target=other)
thread.start()
print("beside-threads %.3f" % min(timed() for _ in range(3)))
stop = True
thread.join()
