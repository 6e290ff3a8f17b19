# Without a home folder, shared objects were loaded from `/tmp/leat/foreign`, which anybody may have made before. Now they
# are in a folder named by its owner, which is refused where others can write to it.
unset HOME XDG_CACHE_HOME
export TMPDIR=$PWD/tmp
mkdir -p tmp/leat/foreign
echo 'int one(void) { return 1; }' > one.c
echo 'val () = print (Int.toString (Int32.toInt ((_import "one" : unit -> Int32.int;) ())) ^ "\n")' > p.sml
"$LEAT" run one.c p.sml
stat -c %a tmp/leat-*-foreign
ls tmp/leat/foreign
chmod 777 tmp/leat-*-foreign
"$LEAT" run one.c p.sml 2>&1 | sed -E 's!: .*/leat-[0-9]+-foreign: !: FOLDER: !'
# A home that cannot be written to is as none.
chmod 700 tmp/leat-*-foreign
HOME=/dev/null "$LEAT" run one.c p.sml
