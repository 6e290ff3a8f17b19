"""sqlite.py PATH N: the same in Python."""
import os, sqlite3, sys, time
path, n = sys.argv[1], int(sys.argv[2])
def gone():
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
def tell(name, start, count):
    print(name, int((time.monotonic() - start) * 1e9 / count))
gone()
db = sqlite3.connect(path, isolation_level=None)
db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL)")
start = time.monotonic()
db.execute("BEGIN IMMEDIATE")
db.executemany("INSERT INTO t VALUES (?, ?, ?)", ((i, f"name {i}", i * 0.5) for i in range(n)))
db.execute("COMMIT")
tell("insert", start, n)
queries, at, total = n // 5, 0, 0.0
start = time.monotonic()
for i in range(queries):
    name, value = db.execute("SELECT name, value FROM t WHERE id = ?", (at,)).fetchone()
    total += value + len(name)
    at = (at + 7919) % n
tell("query", start, queries)
ids, sizes, total_value = 0, 0, 0.0
start = time.monotonic()
for id, name, value in db.execute("SELECT id, name, value FROM t"):
    ids += id
    sizes += len(name)
    total_value += value
tell("scan", start, n)
assert ids == n * (n - 1) // 2 and total > 0 and sizes > 0 and total_value > 0
db.close()
gone()
