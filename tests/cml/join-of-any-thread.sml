(* joinEvt of a thread that is none of CML.spawn's happens when its function returns, as when it exits. *)
fun try (name, t) =
  let
    val ended = CML.joinEvt t
  in
    Thread.ready t;
    CML.select [CML.wrap (ended, fn () => print (name ^ ": told\n")),
                CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => print (name ^ ": not told\n"))]
  end
val () = try ("bound, exits", Thread.bound (fn () => CML.exit ()))
val () = try ("bound, returns", Thread.bound (fn () => ()))
val () = try ("new, returns", Thread.new (fn () => ()))
