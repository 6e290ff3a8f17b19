#!/bin/sh
# Runs a program with SML/NJ: sh smlnj.sh SML FOLDER NAME [ARGUMENT ...]. NAME.cm of the folder says what belongs to it;
# words that begin with @SML are for the runtime. Prints the program's figures only; if there are none, what was said.
sml=$1 folder=$2 name=$3
shift 3
# What CM writes goes to a copy. It is in the folder in which the lab runs programs, which is gone with the run, so nothing
# is left where this script is killed.
copy=$(mktemp -d "$PWD/smlnj-XXXXXX") || exit 1
trap 'rm -rf "$copy"' EXIT
cp "$folder"/../*.sml "$folder"/*.sml "$folder"/*.cm "$copy"
runtime=
for word; do
  shift
  case $word in
    @SML*) runtime="$runtime $word" ;;
    *) set -- "$@" "$word" ;;
  esac
done
cd "$copy" || exit 1
# A program that prints without end is ended at 32 MB (ulimit counts 512 bytes), and fills no disk.
(ulimit -f 65536 && exec "$sml" $runtime -m "$name.cm" "$@") </dev/null >said 2>&1
if [ "$(wc -c <said)" -ge 33554432 ]; then
  echo "error: printed more than 32 MB" >&2
  exit 1
fi
grep -E '^(mark )?[a-z0-9-]+( [0-9.~E]+){1,2}( .*)?$' said | grep -vE '^(val|structure|loading|scanning) ' && exit 0
grep -iE 'error|exception|not defined' said | head -n 1 >&2
exit 1
