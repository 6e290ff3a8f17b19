# A program that runs with the rights of its file takes no options from the environment: whoever starts it could write files
# in the owner's name, as by LEAT_RUN=--trace=FILE. Only root can try that; others pass.
[ $(id -u) = 0 ] && command -v setpriv > /dev/null || { echo ignored; exit; }
chmod 755 .
echo 'val () = print "ran\n"' > p.sml
"$LEAT" build p.sml -o p
chmod 4755 p
(cd / && LEAT_RUN="--trace=$OLDPWD/owned" setpriv --reuid=65534 --regid=65534 --clear-groups "$OLDPWD/p") > /dev/null
(cd / && LEAT_RUN="--no-such-option" setpriv --reuid=65534 --regid=65534 --clear-groups "$OLDPWD/p") > out
[ "$(cat out)" = ran ] && [ ! -e owned ] && echo ignored
