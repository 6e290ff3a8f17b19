(* In a cancelled scope a `run` keeps its function's result if none of that function's waits was cancelled; what the
   thread had waited for before, in the outer function, does not matter.

   Found: `run` read the mark of the outer function's wait as its own. So a clean-up behind `handle Cancelled`, which
   took a message in a `run`, lost that. The mark is the function's now, and is put back behind it: the result of the
   outer one, which has waited in vain, is not kept. It also got lost when a `within` in a `shield` raised an exception,
   and at a barrier's wait that was cancelled and had counted already. *)
open CML

exception Enough
val box : int Mailbox.mbox = Mailbox.mailbox ()
fun say s = print (s ^ "\n")
val ms = Time.fromMilliseconds
val long = Time.fromSeconds 1000
fun inVain () = sync never handle Scope.Cancelled => ()

(* In a cancelled scope, after a wait that was cancelled or none. *)
fun inCancelled (name, before', f) =
  let
    val told = ref "nothing"
    fun body scope =
      (Scope.cancel (scope, Enough);
       before' ();
       told := (f () handle Scope.Cancelled => "Cancelled"))
  in
    Scope.run body handle Enough => ();
    say (name ^ ": " ^ !told)
  end

(* What takes a message; and whether that is lost. *)
fun takes (name, before', scoped) =
  inCancelled (name, before', fn () =>
    let
      val () = Mailbox.send (box, 7)
      val result = Int.toString (scoped (fn _ => Mailbox.recv box)) handle Scope.Cancelled => "Cancelled"
    in
      result ^ (if Option.isSome (Mailbox.recvPoll box) then ", it is left" else ", it is taken")
    end)
val () = takes ("run", fn () => (), Scope.run)
val () = takes ("run, after a wait", inVain, Scope.run)
val () = takes ("within, after a wait", inVain, fn f => Option.valOf (Scope.within long f))
val () = takes ("run in run, after a wait", inVain, fn f => Scope.run (fn _ => Scope.run f))
val () = takes ("shielded, after a wait", inVain, fn f => Scope.shield (fn () => Scope.run f))

(* A wait of the function is cancelled: its result is not kept, whatever it does behind that. *)
fun waits (name, behind) =
  inCancelled (name, inVain, fn () => Scope.run (fn _ => (inVain (); behind (); "kept")))
val () = waits ("waits in vain", fn () => ())
val () = waits ("and has a run", fn () => Scope.run (fn _ => ()))
val () = waits ("and a within", fn () => ignore (Scope.within long (fn _ => ())))
val () = waits ("and one that raises", fn () => ignore (Scope.within long (fn _ => raise Div)) handle Div => ())
fun shieldedRaises () = Scope.shield (fn () => ignore (Scope.within long (fn _ => raise Div)) handle Div => ())
val () = waits ("shielded", shieldedRaises)

(* Likewise of a deadline. *)
fun late (name, behind) =
  say (name ^ ": "
       ^ (case Scope.within (ms 5) (fn _ => (inVain (); behind ())) of
            NONE => "nothing"
          | SOME () => "kept"))
val () = late ("late", fn () => ())
val () = late ("late, and a run", fn () => Scope.run (fn _ => ()))
val () =
  late ("late, and one that raises", fn () => Scope.shield (fn () => Scope.run (fn _ => raise Div) handle Div => ()))
val () = late ("late, and a within that raises", shieldedRaises)
(* The inner one is late, not the outer one. *)
val () =
  say (case Scope.within long (fn _ => Scope.within (ms 5) (fn _ => inVain ())) of
         SOME NONE => "the inner one is late"
       | SOME (SOME ()) => "kept"
       | NONE => "the outer one is late")

(* At a barrier, while the other one comes. *)
fun atBarrier 0 = "never kept"
  | atBarrier n =
      let
        val barrier = Barrier.barrier (fn n => n + 1) 0
        val (a, b) = (Barrier.enroll barrier, Barrier.enroll barrier)
        val gaveUp = ref false
        fun body _ = (inVain (); ignore (Barrier.wait a) handle Scope.Cancelled => gaveUp := true)
        val isKept = ref false
        fun all scope =
          let
            val () = Scope.cancel (scope, Enough)
            val other = spawn (fn () => ignore (Barrier.wait b))
          in
            (Scope.run body; isKept := true) handle Scope.Cancelled => ();
            if !gaveUp then ignore (Scope.shield (fn () => Barrier.wait a)) else ();
            Scope.shield (fn () => sync (joinEvt other))
          end
      in
        Scope.run all handle Enough => ();
        if !isKept then "kept at a barrier" else atBarrier (n - 1)
      end
val () = say (atBarrier 5)
