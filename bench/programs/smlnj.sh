#!/bin/sh
# Runs a program with SML/NJ: sh smlnj.sh SML FOLDER NAME [ARGUMENT ...]. NAME.cm of the folder says what belongs to it;
# words that begin with @SML are for the runtime. Prints the program's figures only; if there are none, what was said.
sml=$1 folder=$2 name=$3
shift 3
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
# What CM writes goes to a copy.
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
"$sml" $runtime -m "$name.cm" "$@" </dev/null >said 2>&1
grep -E '^(mark )?[a-z0-9-]+( [0-9.~E]+){1,2}( .*)?$' said | grep -vE '^(val|structure|loading|scanning) ' && exit 0
grep -iE 'error|exception|not defined' said | head -n 1 >&2
exit 1
