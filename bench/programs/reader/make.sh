#!/bin/sh
# sh make.sh scm|py OUT: a large source of ordinary functions, 20,000 of them.
awk -v kind="$1" 'BEGIN {
  for (i = 0; i < 20000; i++)
    if (kind == "scm")
      printf "(define (f%d x y)\n  ;; number %d\n  (let ((sum (+ x (* y %d))) (name \"text %d\"))\n    (if (> sum %d) (list name sum (quote a%d)) (f%d y (- x 1)))))\n\n", i, i, i % 97, i, i, i, i
    else
      printf "def f%d(x, y):\n    # number %d\n    total = x + y * %d\n    name = \"text %d\"\n    if total > %d:\n        return [name, total, \"a%d\"]\n    return f%d(y, x - 1)\n\n\n", i, i, i % 97, i, i, i, i
}' > "$2"
