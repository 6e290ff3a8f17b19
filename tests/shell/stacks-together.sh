# The limit on the heap holds for the stacks of all threads together: each asked alone, and four threads that were deep at a
# time took four times as much. Those that find no more room have StackOverflow; what they had goes to the others.
cat > deep.sml <<'END'
val down : unit CML.chan = CML.channel ()
val up : unit CML.chan = CML.channel ()
val ended : string CML.chan = CML.channel ()

fun wait () = (CML.send (down, ()); CML.recv up)
(* 40 bytes a level at least, in no tail position *)
fun deep (0, a, b, c) = (wait (); a + b + c)
  | deep (n, a, b, c) = a + deep (n - 1, b + n, c, a) * (if b > c then b else c + n)

fun times n f = List.tabulate (n, fn _ => f ())
val threads = 4
val _ =
  times threads (fn () =>
    CML.spawn (fn () =>
      CML.send (ended, (ignore (deep (5000000, 1, 2, 3)); "deep") handle Overflow => "deep" | e => (wait (); exnName e))))
val _ = times threads (fn () => CML.recv down)

val most =
  let
    val status = TextIO.openIn "/proc/self/status"
    val fields = String.tokens Char.isSpace (TextIO.inputAll status)
    fun after (a :: b :: rest) = if a = "VmHWM:" then valOf (Int.fromString b) div 1024 else after (b :: rest)
      | after _ = 0
  in
    after fields before TextIO.closeIn status
  end
val () = print (if most < 420 then "within the limit\n" else Int.toString most ^ " MB\n")
val _ = times threads (fn () => CML.send (up, ()))
val all = times threads (fn () => CML.recv ended)
val () = print (if List.exists (fn s => s = "StackOverflow") all then "StackOverflow\n" else "none has too little\n")
END
"$LEAT" run --heap-max=300M deep.sml
"$LEAT" run --heap-max=4G deep.sml | tail -n 1
