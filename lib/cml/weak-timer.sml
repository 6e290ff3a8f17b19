(* WeakTimer: time-outs for threads that only clean up. For the libraries of this system; programs do not see it. *)

signature WEAK_TIMER =
sig
  (* As CML.timeOutEvt; but that a thread waits for it keeps no program from its end, and hides no deadlock. *)
  val timeOutEvt : Time.time -> unit CML.event
end

structure WeakTimer : WEAK_TIMER =
struct
  val timeOutEvt = TimeOut'.weakEvt
end
