# sh ablation.sh LEAT PROGRAM.sml OUT HOW: links a program with a runtime whose collector loads the alignment at run time,
# HOW being `mask` or `division` (the features of leat-memory). The runtime is compiled once and kept.
set -e
root=$(cd "$(dirname "$0")/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}/lab-$4
cargo rustc --quiet --release --manifest-path "$root/Cargo.toml" --target-dir "$target" \
  -p leat-entry --features "align-$4" --lib --crate-type staticlib
"$1" build "$2" --object -o "$3.o"
for style in "-static -no-pie" "-no-pie"; do
  if cc $style "$3.o" "$target/release/libleat_entry.a" -Wl,--gc-sections -lm -lpthread -ldl -o "$3"; then
    exit 0
  fi
done
exit 1
