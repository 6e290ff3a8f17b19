(* Time limits of several threads, within one another, and of who is cancelled. The result was handed over in a variable
   that nothing ordered, which the caller looked at every few milliseconds: the race detector told of it. *)
open CML
val us = Time.fromMicroseconds o Int.toLarge
fun spin n = if n = 0 then 0 else spin (n - 1)
val bad = SyncVar.mVarInit 0
val late = SyncVar.mVarInit 0
fun work i =
  let
    fun go 0 = ()
      | go n =
        ((let val r = TimeLimit.timeLimit (us ((i * 37 + n * 13) mod 400)) (fn () => (if n mod 2 = 0 then ignore (spin (n * 1000)) else sync (timeOutEvt (us (n * 17 mod 500))); n)) () in if r <> n then SyncVar.mPut (bad, SyncVar.mTake bad + 1) else () end
          handle TimeLimit.TimeOut => SyncVar.mPut (late, SyncVar.mTake late + 1)); go (n - 1))
  in go 60 end
val () = app (sync o joinEvt) (List.tabulate (6, fn i => spawn (fn () => work i)))
val () = print (Int.toString (SyncVar.mTake bad) ^ " bad " ^ Bool.toString (SyncVar.mTake late > 0) ^ "\n")
(* nested *)
val hour = Time.fromSeconds 3600
val () = print ((TimeLimit.timeLimit hour (fn () => (TimeLimit.timeLimit (us 2000) (fn () => (sync (timeOutEvt hour); "in")) () handle TimeLimit.TimeOut => "inner")) ()) ^ "\n")
val () = print ((TimeLimit.timeLimit (us 3000) (fn () => (TimeLimit.timeLimit hour (fn () => (sync (timeOutEvt hour); "in")) () handle TimeLimit.TimeOut => "inner")) ()) handle TimeLimit.TimeOut => "outer\n")
(* what is there at once is no time-out; an exception; who is cancelled *)
val () = print (Int.toString (TimeLimit.timeLimit Time.zeroTime (fn n => n + 1) 1) ^ "\n")
val () = ignore (TimeLimit.timeLimit hour (fn () => raise Fail "its own") ()) handle Fail s => print (s ^ "\n")
val () =
  print (case Scope.within (us 2000) (fn _ => TimeLimit.timeLimit hour (fn () => sync (timeOutEvt hour)) ()) of
           NONE => "cancelled\n"
         | SOME () => "not cancelled\n")
