#!/bin/sh
# build.sh FOLDER [OCAMLOPT]: the OCaml programs, as FOLDER/ocaml-STYLE; those that this OCaml cannot build are left out.
# build.sh --byte FOLDER [OCAMLC]: some of them in byte code, as FOLDER/ocaml-STYLE-byte.
set -e
styles="threads tramp cont effects lwt" suffix="" archive=cmxa flags="-O3 -inline 200"
if [ "$1" = --byte ]; then
  shift
  styles="tramp cont effects" suffix=-byte archive=cma flags=-custom
  set -- "$1" "${2:-ocamlc}"
fi
folder=$(mkdir -p "$1" && cd "$1" && pwd)
ocamlopt=${2:-ocamlopt}
here=$(cd "$(dirname "$0")" && pwd)
unix="-I +unix -I +threads"
for style in $styles; do
  work=$(mktemp -d)
  case $style in threads | effects) networks=direct ;; *) networks=monadic ;; esac
  cp "$here/numbers.ml" "$here/cell.ml" "$here/$networks.ml" "$work"
  cp "$here/$style.ml" "$work/l.ml"
  libraries="unix.$archive"
  case $style in
    threads) libraries="unix.cmxa threads.cmxa" ;;
    lwt) # the OCaml that Lwt was built for, where another one comes first in the path
         if at=$(ocamlfind query lwt 2>/dev/null); then
           unix="$unix -I $at -I $at/unix"
           own=$(ocamlfind printconf stdlib)/../../bin/ocamlopt
           [ -x "$own" ] && ocamlopt=$own
         fi
         libraries="unix.cmxa threads.cmxa lwt.cmxa lwt_unix.cmxa" ;;
  esac
  if (cd "$work" && $ocamlopt -w -a $flags $unix $libraries numbers.ml cell.ml l.ml $networks.ml -o "$folder/ocaml-$style$suffix") \
       > "$work/log" 2>&1
  then echo "ocaml-$style$suffix"
  else echo "ocaml-$style$suffix: not built: $(grep -m1 Error "$work/log")" >&2
  fi
  rm -r "$work"
done
