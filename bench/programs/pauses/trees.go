// Small trees that a table has, as trees.sml, for table.go and busy.go.
package main

type tree struct {
	left  *tree
	n     int
	right *tree
}

func build(depth, n int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{build(depth-1, 2*n), n, build(depth-1, 2*n+1)}
}

func (t *tree) sum() int {
	if t == nil {
		return 0
	}
	return t.left.sum() + t.n + t.right.sum()
}

// What an entry of a table takes in Leat: a tree of 15 nodes.
const entryBytes = 15*32 + 8
