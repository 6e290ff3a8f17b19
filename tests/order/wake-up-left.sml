(* A wake-up that is left over from an earlier wait ends no other one: neither a sleep nor MLton.Thread.switch. *)
structure T = MLton.Thread
fun leftOver () = Thread.ready (Thread.self ())
fun slept f =
  let
    val start = Time.now ()
    val () = leftOver ()
    val () = f ()
  in
    Time.>= (Time.- (Time.now (), start), Time.fromMilliseconds 20)
  end
val () = print (Bool.toString (slept (fn () => Thread.sleep (Time.fromMilliseconds 20))) ^ "\n")
val () = print (Bool.toString (slept (fn () => OS.Process.sleep (Time.fromMilliseconds 20))) ^ "\n")
val () = leftOver ()
val got =
  T.switch (fn here =>
    T.prepare (T.new (fn () => (CML.yield (); CML.yield (); T.switch (fn _ => T.prepare (here, 5)))), ()))
val () = print (Int.toString got ^ "\n")
