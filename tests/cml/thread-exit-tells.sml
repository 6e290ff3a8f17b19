(* A thread that ends by Thread.exit is over for those who wait: joinEvt, a scope, and callbacks of EventManager go on. *)
fun nap n = OS.Process.sleep (Time.fromMilliseconds n)
fun try (name, t) =
  let
    val ended = CML.joinEvt t
  in
    Thread.ready t;
    CML.select [CML.wrap (ended, fn () => print (name ^ ": told\n")),
                CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => print (name ^ ": not told\n"))]
  end
val () = try ("new", Thread.new (fn () => Thread.exit ()))
val () = try ("bound", Thread.bound (fn () => Thread.exit ()))
val n = SyncVar.mVarInit 0
fun callback () =
  let val k = SyncVar.mTake n + 1 in SyncVar.mPut (n, k); if k = 2 then Thread.exit () else () end
val () =
  List.app (fn i => ignore (EventManager.registerTimeout (Time.fromMilliseconds i, callback))) [1, 2, 3, 4]
(* for ten seconds at most *)
fun wait 0 = ()
  | wait k = if SyncVar.mGet n = 4 then () else (nap 10; wait (k - 1))
val () = wait 1000
val () = print (Int.toString (SyncVar.mGet n) ^ "\n")
val r =
  Scope.within (Time.fromSeconds 20) (fn _ =>
    Scope.run (fn s => ignore (Scope.fork s (fn () => Thread.exit ()))))
val () = print "scope over\n"
