echo "error: no luck today" >&2
exit 3
