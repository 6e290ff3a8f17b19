# A project is not called like a part of it, or like a structure that its tests use.
for n in src; do "$LEAT" new $n 2>&1; echo "exit $?"; done
for n in list show; do "$LEAT" new $n --library 2>&1; echo "exit $?"; done
ls
