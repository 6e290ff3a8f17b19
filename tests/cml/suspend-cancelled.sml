(* A suspend that is cancelled restores the mask. *)
structure M = MLton.Signal.Mask
val _ =
  Scope.within (Time.fromMilliseconds 20) (fn _ => MLton.Signal.suspend (M.some [Posix.Signal.usr1]))
val () = print (if M.isMember (M.getBlocked (), Posix.Signal.usr1) then "blocked\n" else "not blocked\n")
