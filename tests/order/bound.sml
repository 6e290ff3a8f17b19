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

(* each yields twice *)
fun turns name () =
  let fun go 0 = ()
        | go n = (say (name ^ Int.toString n); Thread.yield (); go (n - 1))
  in go 2 end
val () = List.app Thread.ready [Thread.bound (turns "a"), Thread.new (turns "b"), Thread.bound (turns "c")]
val () = (Thread.yield (); say "main 1"; Thread.yield (); say "main 2"; Thread.yield ())

(* the wake-up comes before the park *)
val () =
  let
    val t = Thread.bound (fn () => (Thread.yield (); Thread.park 0; say "woken before"; Thread.park 0; say "woken"))
  in
    Thread.ready t;
    Thread.yield ();
    Thread.ready t;
    Thread.ready t;
    Thread.yield ();
    say "asleep";
    Thread.ready t;
    Thread.yield ()
  end

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
