# A program's words are bytes, as in other systems: what is no UTF-8 reaches it unchanged, from leat run as from a shell.
# (leat run refused it: "an argument is no UTF-8".)
cat > p.sml <<'SML'
fun hex s = String.concatWith " " (map (Int.fmt StringCvt.HEX o Char.ord) (String.explode s))
val () = List.app (fn s => print (hex s ^ "\n")) (CommandLine.arguments ())
SML
"$LEAT" run p.sml $'a\xffb' '' $'\xe4'
"$LEAT" run -e 'val () = print (Int.toString (size (hd (CommandLine.arguments ()))) ^ "\n")' $'\xff\xfe'
"$LEAT" build p.sml -o p
./p $'a\xffb' '' $'\xe4'
cp p.sml $'\xff.sml'
"$LEAT" run $'\xff.sml' $'\xff'
# from one program to the next, in its environment too
cat > q.sml <<'SML'
val () = print (Int.toString (size (valOf (OS.Process.getEnv "WORD"))) ^ "\n")
val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("./p", ["\255", "\128\000"]) handle OS.SysErr (m, _) => (print (m ^ "\n"); Unix.execute ("./p", ["\255"]))
val () = print (TextIO.inputAll (Unix.textInstreamOf p))
val _ = Unix.reap p
SML
WORD=$'\xff\xff' "$LEAT" run q.sml 2> /dev/null
