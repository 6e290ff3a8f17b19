# A file that is there and cannot be looked at is not said to be missing. (A link to itself, and what stands in a folder that
# may not be searched, were "there is no such file".)
ln -s loop.sml loop.sml; echo 'val x = 1' > file.sml; mkdir tests; ln -s loop_test.sml tests/loop_test.sml
long=$(printf '%0300d' 0).sml
for command in run check fmt build test doc debug profile; do
  for file in loop.sml file.sml/x.sml "$long" none.sml; do
    "$LEAT" $command "$file" 2>&1 < /dev/null | sed "s/$long/LONG/;s/^/$command: /"; echo "${PIPESTATUS[0]}"
  done
done
"$LEAT" fmt . 2>&1; echo $?
