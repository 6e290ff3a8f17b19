(* Bound threads among others, on one worker: they run in the order in which any threads do. *)
fun say s = print (s ^ "\n")
val main = Thread.self ()

val one = Thread.bound (fn () => (say "switched to"; Thread.exit ()))
val two = Thread.bound (fn () => (say "handed to"; Thread.handoff main; say "and again"; Thread.handoff main))
val () = Thread.switch one
val () = Thread.handoff two
val () = say "main"
val () = Thread.handoff two
val () = say "main again"

(* an exception that nobody handles ends its thread alone *)
val () =
  let
    exception Planted
    val t = Thread.bound (fn () => raise Planted)
  in
    Thread.ready t;
    Thread.yield ();
    say "goes on"
  end
val () = OS.Process.exit OS.Process.success
