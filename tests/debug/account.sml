open CML
val account = SyncVar.mVarInit 100
fun withdraw n =
  if SyncVar.mGet account >= n then (*look*)
    SyncVar.mPut (account, SyncVar.mTake account - n) (*change*)
  else ()
val threads = List.tabulate (2, fn _ => spawn (fn () => withdraw 60))
val () = app (fn thread => sync (joinEvt thread)) threads
val left = SyncVar.mGet account
val () = if left < 0 then raise Fail ("the account has " ^ Int.toString left) else () (*check*)
