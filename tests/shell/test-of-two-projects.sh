# Which of two projects a test sees: the message named a way that does not work, to name one of them on the command
# line.
mkdir two
cd two
echo 'val a = 1' > a.sml
echo 'val b = 2' > b.sml
for name in a b; do printf '$(SML_LIB)/basis/basis.mlb\n%s.sml\n' $name > $name.mlb; done
echo 'val () = Test.test "one" (fn () => Expect.equal Int.toString 1 a)' > a_test.sml
"$LEAT" test 2>&1 | grep several | sed 's/in [^ ]*:/in FOLDER:/'
# what it says to do: a description of the test's own, or a name for the project
printf '$(SML_LIB)/basis/basis.mlb\n$(SML_LIB)/leat-test/leat-test.mlb\na.sml\na_test.sml\n' > a_test.mlb
"$LEAT" test > /dev/null && echo ok
rm a_test.mlb
mv a.mlb two.mlb
"$LEAT" test > /dev/null && echo ok
