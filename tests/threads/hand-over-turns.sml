(* A thread that was ready waited for ever while others handed over to each other: a chain of threads each of which spawns the next
   (the heap grew by 300 MB a second), or two threads of MLton.Thread that switch. A hand-over went past the queue, and each one
   began what looked like a new turn. Here each of them goes on until a thread with a time-out has run; at a hundred million steps
   it says that the thread starved. *)
open CML
val limit = 100000000

fun said name (n, over) = print (name ^ (if !over then ": the others had their turns\n" else ": starved\n")) before n := 0

(* Sets the flag after so many milliseconds. *)
fun after ms over = ignore (spawn (fn () => (sync (timeOutEvt (Time.fromMilliseconds ms)); over := true)))

(* Each thread spawns the next one and ends. *)
val () =
  let val n = ref 0 and over = ref false and done = SyncVar.iVar ()
      fun chain () = (n := !n + 1; if !over orelse !n >= limit then SyncVar.iPut (done, ()) else ignore (spawn chain))
  in after 30 over; ignore (spawn chain); SyncVar.iGet done; said "a chain of spawns" (n, over) end

(* The main thread itself waits, and the chain has to be stopped by it. *)
val () =
  let val n = ref 0 and over = ref false
      fun chain () = (n := !n + 1; if !over orelse !n >= limit then () else ignore (spawn chain))
      val _ = spawn chain
  in
    sync (timeOutEvt (Time.fromMilliseconds 30));
    if !n < limit then over := true else ();
    said "the main thread beside a chain" (n, over)
  end

(* Two threads of MLton.Thread switch to each other. *)
structure T = MLton.Thread
val () =
  let val n = ref 0 and over = ref false
      val other : T.Runnable.t option ref = ref NONE
      fun swap () = T.switch (fn me => let val next = valOf (!other) in other := SOME (T.prepare (me, ())); next end)
      fun for_ever () = (swap (); for_ever ())
      fun until () = (n := !n + 1; if !over orelse !n >= limit then () else (swap (); until ()))
  in
    after 30 over;
    other := SOME (T.prepare (T.new for_ever, ()));
    until ();
    said "two that switch" (n, over)
  end

(* Two pairs of threads that send to each other, beside one that computes. *)
val () =
  let val n = ref 0 and over = ref false and done = SyncVar.iVar ()
      fun pair () =
        let val there : unit chan = channel () and back : unit chan = channel ()
            fun echo () = (recv there; send (back, ()); echo ())
            fun ask () =
              (n := !n + 1; send (there, ()); recv back;
               if !over orelse !n >= limit then ignore (SyncVar.iPut (done, ()) handle SyncVar.Put => ()) else ask ())
        in ignore (spawn echo); ignore (spawn ask) end
      val stop = ref false
      fun compute x = if !stop then () else compute (x * 0w3 + 0w1 : word)
      val _ = spawn (fn () => compute 0w1)
  in pair (); pair (); after 30 over; SyncVar.iGet done; stop := true; said "pairs beside one that computes" (n, over) end
