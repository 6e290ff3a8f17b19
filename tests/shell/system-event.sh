# OS.Process.systemEvt in a choice: what was printed is written out before anything is offered. It was written within the offer,
# where a thread must not wait: the message of another event was lost; and an exception left an atomic section open.
cat > p.sml <<'E'
fun err s = TextIO.output (TextIO.stdErr, s ^ "\n")
val c : string CML.chan = CML.channel ()
val () = TextIO.output (TextIO.stdOut, CharVector.tabulate (100000, fn _ => #"x"))
val _ = CML.spawn (fn () => (OS.Process.sleep (Time.fromMilliseconds 200); CML.send (c, "message")))
val what = CML.select [CML.recvEvt c, CML.wrap (OS.Process.systemEvt "sleep 5", fn _ => "command")]
val () = err ("chosen: " ^ what)
E
("$LEAT" run p.sml | (sleep 1; wc -c)) 2>&1 | sort
cat > q.sml <<'E'
fun err s = TextIO.output (TextIO.stdErr, s ^ "\n")
val () = TextIO.output (TextIO.stdOut, "x")
val () = ignore (CML.select [CML.never, OS.Process.systemEvt "true"]) handle e => err ("raised: " ^ exnName e)
val flag = ref false
val _ = CML.spawn (fn () => flag := true)
fun wait () = if !flag then () else wait ()
val () = (wait (); err "another thread has run")
val () = Posix.Process.exit 0w0
E
timeout -s KILL 20 "$LEAT" run q.sml 2>&1 > /dev/full
