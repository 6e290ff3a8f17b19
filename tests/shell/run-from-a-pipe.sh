# `leat run -` was "there is no such file", where `leat fmt -` reads standard input.
echo 'val () = print (String.concatWith " " (CommandLine.arguments ()) ^ "\n")' | "$LEAT" run - one --two
# Its messages have the name `-`, and files are looked for in this folder.
echo 'fun twice x = x + x' > twice.sml
echo 'use "twice.sml"; val () = print (Int.toString (twice 21) ^ "\n")' | "$LEAT" run -
echo 'val x : int = "text"' | "$LEAT" run --color=never - 2>&1 | grep -e '-->'
# No text is a program that does nothing.
"$LEAT" run - < /dev/null
echo $?
# It can be checked and built, too.
echo 'val x : int = "text"' | "$LEAT" check --color=never - 2>&1 | grep -e '-->'
echo 'val () = print "built\n"' | "$LEAT" build - -o built && ./built
echo 'val () = print "built\n"' | "$LEAT" build - 2>&1 | head -1
