# What `leat build` makes on the way stands in folders that nobody else can enter or foretell, beside the output and in
# TMPDIR; all of it goes, and an output that was there is replaced, not written to.
umask 0
mkdir tmp out
echo 'val () = print "made\n"' > p.sml
cat > watch <<'SH'
#!/bin/bash
# stands for the linker, and looks around
ls -ld "$TMPDIR"/* out/.l* | cut -c1-10 | sort -u >> modes
ls "$TMPDIR" >> names
exec cc "$@"
SH
chmod +x watch
echo old > out/p
ln out/p kept
for i in 1 2; do CC=./watch TMPDIR=$PWD/tmp "$LEAT" build p.sml -o out/p; done
sort -u modes
sort -u names | wc -l
out/p
cat kept
ls -A tmp out
