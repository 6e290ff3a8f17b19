#!/bin/sh
# sh mlton.sh LEAT SOURCES PREFIX: an MLton for systems that have none, PREFIX/bin/mlton.
# SOURCES is a clone of MLton's repository, and is built in. Leat compiles MLton's compiler; that one then compiles itself.
# Needs make, a C compiler and GMP's headers (Debian: libgmp-dev); some 12 minutes of CPU time and 5 GB.
set -e
leat=$1 sources=$2 prefix=$3
[ -x "$leat" ] && [ -f "$sources/mlton/mlton.mlb" ] && [ -n "$prefix" ] || {
  echo "usage: mlton.sh LEAT SOURCES PREFIX" >&2
  exit 2
}
cd "$sources"
mkdir -p doc/license
echo "the runtime and the libraries"
make dirs runtime script basis-no-check libraries-no-check >make.log 2>&1 || { tail make.log >&2; exit 1; }
make -C mlton front-end/ml.lex.sml front-end/ml.grm.sig front-end/ml.grm.sml front-end/mlb.lex.sml front-end/mlb.grm.sig \
  front-end/mlb.grm.sml control/version.sml ../lib/stubs/mlton-stubs/pre-mlton.sml >>make.log 2>&1 || { tail make.log >&2; exit 1; }
# MLton's own script runs a compiler of this name without the options of MLton's runtime.
echo "MLton's compiler, by Leat"
"$leat" build mlton/mlton.mlb -o build/lib/mlton/mlton-compile-polyml
echo "MLton's compiler, by itself"
build/bin/mlton -output mlton-self mlton/mlton.mlb
mv mlton-self build/lib/mlton/mlton-compile
rm build/lib/mlton/mlton-compile-polyml
mkdir -p "$prefix"
cp -R build/. "$prefix"
"$prefix/bin/mlton"
