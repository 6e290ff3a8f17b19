#!/bin/sh
# sh image.sh SML FOLDER OUT: a heap image of SML/NJ with the networks over channels, OUT/light-cml.*.
# What CM writes goes to a copy of FOLDER.
set -e
rm -rf "$3/light-cml-files"
cp -r "$2" "$3/light-cml-files"
cd "$3/light-cml-files/cml"
"$1" -m light-cml.cm < build.sml > said 2>&1 || { tail -n 3 said >&2; exit 1; }
mv light-cml.* "$3"/ 2>/dev/null || { tail -n 3 said >&2; exit 1; }
