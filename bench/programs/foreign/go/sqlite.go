// sqlite DRIVER PATH N: the same in Go, by database/sql and one of two drivers.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"time"

	_ "github.com/mattn/go-sqlite3"
	_ "modernc.org/sqlite"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	driver, path := os.Args[1], os.Args[2]
	n, err := strconv.Atoi(os.Args[3])
	must(err)
	gone := func() {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			os.Remove(path + suffix)
		}
	}
	gone()
	pool, err := sql.Open(driver, path)
	must(err)
	ctx := context.Background()
	db, err := pool.Conn(ctx)
	must(err)
	_, err = db.ExecContext(ctx, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL)")
	must(err)
	tell := func(name string, start time.Time, count int) {
		fmt.Println(name, time.Since(start).Nanoseconds()/int64(count))
	}
	start := time.Now()
	tx, err := db.BeginTx(ctx, nil)
	must(err)
	insert, err := tx.Prepare("INSERT INTO t VALUES (?, ?, ?)")
	must(err)
	for i := 0; i < n; i++ {
		_, err := insert.Exec(i, "name "+strconv.Itoa(i), float64(i)*0.5)
		must(err)
	}
	must(tx.Commit())
	tell("insert", start, n)
	queries, at, total := n/5, 0, 0.0
	start = time.Now()
	query, err := db.PrepareContext(ctx, "SELECT name, value FROM t WHERE id = ?")
	must(err)
	for i := 0; i < queries; i++ {
		var name string
		var value float64
		must(query.QueryRow(at).Scan(&name, &value))
		total += value + float64(len(name))
		at = (at + 7919) % n
	}
	tell("query", start, queries)
	ids, sizes, sum := 0, 0, 0.0
	start = time.Now()
	rows, err := db.QueryContext(ctx, "SELECT id, name, value FROM t")
	must(err)
	for rows.Next() {
		var id int
		var name string
		var value float64
		must(rows.Scan(&id, &name, &value))
		ids += id
		sizes += len(name)
		sum += value
	}
	must(rows.Err())
	tell("scan", start, n)
	if ids != n*(n-1)/2 || total <= 0 || sizes <= 0 || sum <= 0 {
		panic("the sums")
	}
	gone()
}
