# An exception that nobody handles stops the debugger also where the program stands at the line that raises it, by a step or by
# going back; the program had ended there, and nothing could be looked at. A step over Prompt.reset stays outside of its body,
# whose stack is another one. A command that is not UTF-8 does not end the session.
cat > raise.sml <<'SML'
val l : int list = []
val n = length l
val x = hd l
val y = x + n
SML
printf 'next\nnext\nnext\nprint n\nback\ncontinue\nprint l\n' | "$LEAT" debug --console raise.sml | sed "s|$PWD/||"
echo
printf 'next\nprint "\377"\nprint 1\nquit\n' | "$LEAT" debug --console raise.sml 2>&1
cat > reset.sml <<'SML'
val p : int Prompt.prompt = Prompt.new ()
val q : int Prompt.prompt = Prompt.new ()
fun inner () =
  let
    val a = 1
  in
    a + 1
  end
fun outer () =
  let
    val x = Prompt.reset q inner
    val y = x + 1
  in
    y
  end
val r = Prompt.reset p outer
SML
echo
printf 'break 11\ncontinue\nnext\nprint x\nquit\n' | "$LEAT" debug --console reset.sml
# A value of 175 words whose tree has millions of parts is shown in short.
cat > shared.sml <<'SML'
fun r x = Vector.tabulate (24, fn _ => x)
val v = r (r (r (r (r (r (r 1))))))
val () = print "x\n"
SML
printf 'break 3\ncontinue\nprint v\nquit\n' | "$LEAT" debug --console shared.sml > shown
[ $(wc -c < shown) -lt 200000 ] && echo short
