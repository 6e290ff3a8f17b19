(* Something of everything that a trace shows. *)
open CML
val ch : int chan = channel ()
val begun : unit SyncVar.ivar = SyncVar.iVar ()
fun sender n = (Leat.nameThread "the \"sender\""; SyncVar.iPut (begun, ()); app (fn i => send (ch, i)) (List.tabulate (n, fn i => i)))
fun receiver n = (app (fn _ => ignore (recv ch)) (List.tabulate (n, fn i => i)); Leat.mark "half\nway")
val _ = spawn (fn () => sender 2000)
(* once it runs, long enough for it to wait for a receiver: on a busy machine it had not begun after 2 ms *)
val () = SyncVar.iGet begun
val () = sync (timeOutEvt (Time.fromMilliseconds 20))
val t = spawn (fn () => receiver 1000)
val u = spawn (fn () => receiver 1000)
val () = sync (joinEvt t)
val () = sync (joinEvt u)
val () = sync (timeOutEvt (Time.fromMilliseconds 3))
fun garbage 0 = () | garbage n = (ignore (List.tabulate (100, fn i => i)); garbage (n - 1))
val () = garbage 100000
(* one that ends in the middle *)
val _ = spawn (fn () => ignore (recv ch))
val () = print "traced\n"
