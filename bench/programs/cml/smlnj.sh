#!/bin/sh
# Runs one of these programs with SML/NJ: sh smlnj.sh NAME [ARGUMENT]. Prints its figures only; nothing where SML/NJ is missing.
# What CM writes goes to a copy.
command -v sml >/dev/null || exit 0
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp "$(dirname "$0")"/*.sml "$(dirname "$0")"/*.cm "$copy"
cd "$copy" && sml -m "$1.cm" "$2" </dev/null 2>&1 | grep -E '^[a-z0-9-]+ [0-9.]+$'
