(* A tree of threads, half a million of them: each makes a channel, has two others send to it, and adds what they send.
   Idle workers must not have the lanes of all of them go to and fro. *)
open CML

fun sum 0 = 1
  | sum depth =
      let
        val ch = channel ()
        fun branch () = ignore (spawn (fn () => send (ch, sum (depth - 1))))
      in
        branch ();
        branch ();
        recv ch + recv ch
      end

val () = print (Int.toString (sum 18) ^ "\n")
val steals = Leat.Scheduler.steals ()
val () = if steals < 2500 then () else print (Int.toString steals ^ " lanes went from one worker to another\n")
