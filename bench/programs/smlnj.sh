#!/bin/sh
# Runs a program of one of these folders with SML/NJ: sh smlnj.sh FOLDER NAME [ARGUMENT]. Prints its figures only.
# What CM writes goes to a copy.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp "$1"/*.sml "$1"/*.cm "$copy"
cd "$copy" && sml -m "$2.cm" "$3" </dev/null 2>&1 | grep -E '^[a-z0-9-]+ [0-9.]+$'
