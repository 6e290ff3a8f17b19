(* race: one thread holds the lock, the other does not. *)
open CML
val lock = SyncVar.mVarInit ()
val n = ref 0
fun locked () = (SyncVar.mTake lock; n := !n + 1; SyncVar.mPut (lock, ()))
fun bare () = n := !n + 1
val threads = [spawn locked, spawn bare]
val () = app (fn t => sync (joinEvt t)) threads
val () = print (Int.toString (!n) ^ "\n")
