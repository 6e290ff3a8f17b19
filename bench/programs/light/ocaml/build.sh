#!/bin/sh
# build.sh FOLDER [OCAMLOPT]: the OCaml programs, as FOLDER/ocaml-STYLE; those that this OCaml cannot build are left out.
set -e
folder=$(mkdir -p "$1" && cd "$1" && pwd)
ocamlopt=${2:-ocamlopt}
here=$(cd "$(dirname "$0")" && pwd)
flags="-O3 -inline 200"
unix="-I +unix -I +threads"
for style in threads tramp cont effects lwt; do
  work=$(mktemp -d)
  case $style in threads | effects) networks=direct ;; *) networks=monadic ;; esac
  cp "$here/numbers.ml" "$here/cell.ml" "$here/$networks.ml" "$work"
  cp "$here/$style.ml" "$work/l.ml"
  libraries="unix.cmxa"
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
  if (cd "$work" && $ocamlopt -w -a $flags $unix $libraries numbers.ml cell.ml l.ml $networks.ml -o "$folder/ocaml-$style") \
       > "$work/log" 2>&1
  then echo "ocaml-$style"
  else echo "ocaml-$style: not built: $(grep -m1 Error "$work/log")" >&2
  fi
  rm -r "$work"
done
