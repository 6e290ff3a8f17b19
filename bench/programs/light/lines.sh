#!/bin/sh
# sh lines.sh PROGRAM [WORD ...]: runs it, and turns its line of NAME=VALUE pairs into the lab's lines: `cpu` in
# nanoseconds, `peak-heap` and `resident` in KB, and `per-thread`, the former for each thread of a network that grows, in bytes.
# sh lines.sh --three PROGRAM [WORD ...]: runs kpn 100,000, sieve 1,000 and sorter 300; lines `kpn`, `sieve`, `sorter`.
# sh lines.sh --two PROGRAM [WORD ...]: the first two, where 44,850 threads are too many.
run() {
  said=$("$@") || return 1
  case $said in
    *" cpu-us="*) ;;
    *) echo "no figures: $said" >&2; return 1 ;;
  esac
}
if [ "$1" = --three ] || [ "$1" = --two ]; then
  option=$1
  shift
  for network in "kpn 100000" "sieve 1000" "sorter 300"; do
    [ "$option $network" = "--two sorter 300" ] && continue
    # shellcheck disable=SC2086 # a network and its size are two words
    run "$@" $network || exit 1
    echo "$said" | tr ' ' '\n' | awk -F= -v name="${network%% *}" '$1 == "cpu-us" { print name, $2 * 1000 }'
  done
  exit
fi
run "$@" || exit 1
echo "$said" | tr ' ' '\n' | awk -F= '
  $1 == "cpu-us" { print "cpu", $2 * 1000 }
  $1 == "network" { network = $2 }
  $1 == "n" { n = $2; threads = network == "sieve" ? n : network ~ /^sorter/ ? n * (n - 1) / 2 : 0 }
  $1 == "peak-heap" || $1 == "resident" { print $1, $2 / 1024 }
  $1 == "peak-heap" && threads > 0 { print "per-thread", $2 / threads }'
