# `leat fmt`: files are replaced with their mode, links stay links, what has errors stays as it was; --check and --diff
# write nothing; folders are searched, hidden ones are not; bytes that are not UTF-8 come back as they were.
mkdir -p app/in/deep app/.hidden
printf 'val x=1\n' > app/one.sml
printf 'signature S=sig val x:int end\n' > app/in/deep/two.sig
printf 'val y=2\n' > app/.hidden/three.sml
printf 'val x = 1\n' > app/good.sml
printf 'val x = \n' > app/bad.sml
printf 'val caf=(* caf\351 *) "\351"\r\nval y=1\r\n' > app/latin.sml
chmod 640 app/one.sml
mkdir links; ln -s ../app/one.sml links/link.sml
"$LEAT" fmt --check app 2> errors; echo "exit $?"
grep -c syntax/expected errors
"$LEAT" fmt --diff app/one.sml; echo "exit $?"
cat app/one.sml
"$LEAT" fmt app 2> /dev/null; echo "exit $?"
cat app/one.sml app/in/deep/two.sig app/.hidden/three.sml app/bad.sml
od -c app/latin.sml
stat -c %a app/one.sml
printf 'val x=2' > links/link.sml
"$LEAT" fmt links/link.sml
[ -L links/link.sml ] && cat app/one.sml
ls -A app
rm app/bad.sml
"$LEAT" fmt --check app; echo "exit $?"
printf 'val z=3' | "$LEAT" fmt -; echo "exit $?"
printf 'val z=3' | "$LEAT" fmt --check -; echo "exit $?"
printf 'val z=' | "$LEAT" fmt - 2> /dev/null; echo "exit $?"
"$LEAT" fmt nowhere.sml 2>&1; echo "exit $?"
# descriptions: ML Basis files have the style too, CM files have none
printf 'local   a.sml\n(* one *) in b.sml end\n' > a.mlb
"$LEAT" fmt --check a.mlb; echo "exit $?"
"$LEAT" fmt a.mlb; echo "exit $?"
cat a.mlb
printf 'local   a.sml' > a.mlb
"$LEAT" fmt a.mlb 2>&1; echo "exit $?"
cat a.mlb; echo
echo > a.cm
"$LEAT" fmt a.cm 2>&1; echo "exit $?"
# without a file: the sources in the project's folder
mkdir -p q/src
echo src/x.sml > q/q.mlb
printf 'val x=1\n' > q/src/x.sml
(cd q && "$LEAT" fmt --check; echo "exit $?"; "$LEAT" fmt; echo "exit $?"; cat src/x.sml)
# a script with CRLF: its first line got one more CR at each run
printf '#!/usr/bin/env leat\r\nval x=1\r\n' > script.sml
"$LEAT" fmt script.sml; "$LEAT" fmt --check script.sml; echo "exit $?"
od -c script.sml
