# With a full folder for temporary files `leat test` said that each file does not compile: what its process has to tell could
# not be written. It needs no file there now. Only root can make such a folder; others pass.
mkdir .git full
echo 'val () = Test.test "one" (fn () => ())' > a_test.sml
fill='mount -t tmpfs -o size=4k none full && head -c 4096 /dev/zero > full/x'
[ $(id -u) = 0 ] && unshare -m bash -c "$fill" 2> /dev/null || { cat "$(dirname "$0")/test-full-disk.ok"; exit; }
unshare -m bash -c "$fill; TMPDIR=\$PWD/full '$LEAT' test a_test.sml" 2>&1 | sed -E 's/, [0-9.]+ m?s$//; s/ \([0-9.]+ m?s\)$//'
