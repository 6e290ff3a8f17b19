#!/bin/sh
# sh join.sh OUT FILE ...: one text of several, for compilers that take one file.
out=$1
shift
cat "$@" > "$out"
