# sh prepare.sh FILE: what seven's programs read; a second time it fails
set -e
[ ! -e "$1" ]
printf 'seven\nlines\n' > "$1"
