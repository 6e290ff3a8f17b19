(* A thread that was ready waited for ever while others handed over to each other: a chain of threads each of which spawns the next
   (the heap grew by 300 MB a second), or two threads of MLton.Thread that switch. A hand-over went past the queue, and each one
   began what looked like a new turn. Here each of them goes on until a thread with a time-out has run; at a hundred million steps
   it says that the thread starved. *)
open CML
val limit = 100000000

fun said name n = print (name ^ (if n < limit then ": the others had their turns\n" else ": starved\n"))

(* A flag that is set after so many milliseconds. *)
fun after ms =
  let val flag = SyncVar.iVar ()
  in ignore (spawn (fn () => (sync (timeOutEvt (Time.fromMilliseconds ms)); SyncVar.iPut (flag, ())))); flag end
fun isSet flag = isSome (SyncVar.iGetPoll flag)

(* Each thread spawns the next one and ends. *)
val () =
  let val over = after 30 and done = SyncVar.iVar ()
      fun chain n () = if isSet over orelse n >= limit then SyncVar.iPut (done, n) else ignore (spawn (chain (n + 1)))
  in ignore (spawn (chain 0)); said "a chain of spawns" (SyncVar.iGet done) end

(* The main thread itself waits, and the chain has to be stopped by it. *)
val () =
  let val over = SyncVar.iVar () and done = SyncVar.iVar ()
      fun chain n () = if isSet over orelse n >= limit then SyncVar.iPut (done, n) else ignore (spawn (chain (n + 1)))
      val _ = spawn (chain 0)
  in
    sync (timeOutEvt (Time.fromMilliseconds 30));
    SyncVar.iPut (over, ());
    said "the main thread beside a chain" (SyncVar.iGet done)
  end

(* Two threads of MLton.Thread switch to each other. *)
structure T = MLton.Thread
val () =
  let val over = after 30
      val other : T.Runnable.t option ref = ref NONE
      fun swap () = T.switch (fn me => let val next = valOf (!other) in other := SOME (T.prepare (me, ())); next end)
      fun for_ever () = (swap (); for_ever ())
      fun until n = if isSet over orelse n >= limit then n else (swap (); until (n + 1))
  in
    other := SOME (T.prepare (T.new for_ever, ()));
    said "two that switch" (until 0)
  end

(* Two pairs of threads that send to each other, beside one that computes. *)
val () =
  let val over = after 30 and stop = SyncVar.iVar ()
      fun pair () =
        let val there : unit chan = channel () and back : unit chan = channel () and done = SyncVar.iVar ()
            fun echo () = (recv there; send (back, ()); echo ())
            fun ask n =
              (send (there, ()); recv back;
               if isSet over orelse n >= limit then SyncVar.iPut (done, n) else ask (n + 1))
        in ignore (spawn echo); ignore (spawn (fn () => ask 0)); done end
      fun compute x = if isSet stop then () else compute (x * 0w3 + 0w1 : word)
      val _ = spawn (fn () => compute 0w1)
      val pairs = [pair (), pair ()]
      val n = foldl Int.max 0 (map SyncVar.iGet pairs)
  in SyncVar.iPut (stop, ()); said "pairs beside one that computes" n end
