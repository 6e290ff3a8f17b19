printf 'error: \033[31mred\007\n' >&2
exit 3
