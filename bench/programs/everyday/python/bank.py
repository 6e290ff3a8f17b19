import queue
import sys
import threading

ACCOUNTS = 1000


def bank(orders):
    balance = [100] * ACCOUNTS
    while True:
        order = orders.get()
        if order is None:
            return
        if len(order) == 1:
            order[0].put(sum(balance))
            continue
        source, to, amount, answer = order
        if balance[source] < amount:
            answer.put(False)
        else:
            balance[source] -= amount
            balance[to] += amount
            answer.put(True)


def client(orders, done, number, times):
    answer = queue.SimpleQueue()
    x, count = number + 1, 0
    for _ in range(times):
        y = x * 16807 % 2147483647
        z = y * 16807 % 2147483647
        orders.put((x % ACCOUNTS, y % ACCOUNTS, z % 50, answer))
        answer.get()
        count += 1
        x = z
    done.put(count)


orders, done = queue.SimpleQueue(), queue.SimpleQueue()
threading.Thread(target=bank, args=(orders,)).start()
for i in range(100):
    threading.Thread(target=client, args=(orders, done, i, int(sys.argv[1]))).start()
count = sum(done.get() for _ in range(100))
answer = queue.SimpleQueue()
orders.put((answer,))
print(f"{count} transfers, total {answer.get()}")
orders.put(None)
