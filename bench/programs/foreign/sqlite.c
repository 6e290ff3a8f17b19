/* sqlite PATH N: the same in C. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
static void gone(const char *path) {
  char name[4096];
  for (int i = 0; i < 3; i++) { snprintf(name, sizeof name, "%s%s", path, i == 0 ? "" : i == 1 ? "-wal" : "-shm"); remove(name); }
}
int main(int argc, char **argv) {
  const char *path = argv[1];
  long n = atol(argv[2]);
  sqlite3 *db;
  sqlite3_stmt *s;
  gone(path);
  if (argc != 3 || sqlite3_open(path, &db)) return 1;
  sqlite3_exec(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL)", 0, 0, 0);
  double start = now();
  sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
  sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?, ?, ?)", -1, &s, 0);
  for (long i = 0; i < n; i++) {
    char name[32];
    int size = snprintf(name, sizeof name, "name %ld", i);
    sqlite3_bind_int64(s, 1, i);
    sqlite3_bind_text(s, 2, name, size, SQLITE_TRANSIENT);
    sqlite3_bind_double(s, 3, i * 0.5);
    if (sqlite3_step(s) != SQLITE_DONE) return 1;
    sqlite3_reset(s);
  }
  sqlite3_finalize(s);
  sqlite3_exec(db, "COMMIT", 0, 0, 0);
  printf("insert %.0f\n", (now() - start) / n);
  long queries = n / 5, at = 0;
  double total = 0;
  start = now();
  sqlite3_prepare_v2(db, "SELECT name, value FROM t WHERE id = ?", -1, &s, 0);
  for (long i = 0; i < queries; i++) {
    sqlite3_bind_int64(s, 1, at);
    if (sqlite3_step(s) != SQLITE_ROW) return 1;
    char *name = strdup((const char *)sqlite3_column_text(s, 0));
    total += sqlite3_column_double(s, 1) + strlen(name);
    free(name);
    sqlite3_reset(s);
    at = (at + 7919) % n;
  }
  sqlite3_finalize(s);
  printf("query %.0f\n", (now() - start) / queries);
  long ids = 0, sizes = 0;
  double sum = 0;
  start = now();
  sqlite3_prepare_v2(db, "SELECT id, name, value FROM t", -1, &s, 0);
  while (sqlite3_step(s) == SQLITE_ROW) {
    ids += sqlite3_column_int64(s, 0);
    char *name = strdup((const char *)sqlite3_column_text(s, 1));
    sizes += strlen(name);
    free(name);
    sum += sqlite3_column_double(s, 2);
  }
  sqlite3_finalize(s);
  printf("scan %.0f\n", (now() - start) / n);
  sqlite3_close(db);
  gone(path);
  return ids == n * (n - 1) / 2 && total > 0 && sizes > 0 && sum > 0 ? 0 : 1;
}
