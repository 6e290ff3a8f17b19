(* MLton.Signal.Handler.handler: the handler gets the thread that the signal interrupted and says which one goes on. A
   scheduler with a timer is made of it, and a time limit; both as MLton's tests timeout, thread2 and mutex do. *)

structure T = MLton.Thread
structure S = MLton.Signal
structure I = MLton.Itimer

val which = I.Real
val signal = I.signal which
fun every ms = I.set (which, {value = Time.fromMilliseconds ms, interval = Time.fromMilliseconds ms})

(* -- a time limit *)
fun timeLimit (ms, f) =
  let
    val result =
      T.switch
        (fn cur =>
           (S.setHandler (signal, S.Handler.handler (fn _ => T.prepare (cur, NONE)));
            I.set (which, {value = Time.fromMilliseconds ms, interval = Time.zeroTime});
            T.prepare (T.new (fn () =>
                                let val r = SOME (f ()) handle _ => NONE
                                in T.switch (fn _ => T.prepare (cur, r)) end), ())))
  in
    I.set (which, {value = Time.zeroTime, interval = Time.zeroTime});
    S.setHandler (signal, S.Handler.default);
    result
  end

fun forever () : int = forever ()
val () = print (case timeLimit (30, forever) of NONE => "stopped\n" | SOME _ => "wrong\n")
val () = print (case timeLimit (10000, fn () => 42) of NONE => "wrong\n" | SOME n => Int.toString n ^ "\n")

(* -- a scheduler: none of the three ever gives way of itself, and each waits for the others *)
val ready : T.Runnable.t list ref = ref []
fun enqueue t = ready := !ready @ [t]
fun next () = case !ready of t :: rest => (ready := rest; t) | [] => raise Fail "nobody is ready"
val interrupts = ref 0
fun schedule t = (interrupts := !interrupts + 1; enqueue t; next ())

val progress = Array.array (3, 0)
val finished = ref 0
fun run () =
  T.switch
    (fn main =>
       let
         fun worker i () =
           (while Array.sub (progress, i) < 3 do
              (Array.update (progress, i, Array.sub (progress, i) + 1);
               while Array.exists (fn n => n < Array.sub (progress, i)) progress do ());
            finished := !finished + 1;
            T.switch (fn _ => if !finished = 3 then T.prepare (main, ()) else next ()))
       in
         List.app (fn i => enqueue (T.prepare (T.new (worker i), ()))) [0, 1, 2];
         S.setHandler (signal, S.Handler.handler schedule);
         every 5;
         next ()
       end)
val () = run ()
val () = (I.set (which, {value = Time.zeroTime, interval = Time.zeroTime}); S.setHandler (signal, S.Handler.ignore))
val () = print (concat (Array.foldr (fn (n, l) => Int.toString n :: " " :: l) ["\n"] progress))
val () = print (if !interrupts > 3 then "interrupted\n" else "never interrupted\n")

(* -- when every thread waits, the handler gets a thread that does nothing *)
val seen = ref false
val () = S.setHandler (signal, S.Handler.handler (fn t => (seen := true; t)))
val () = I.set (which, {value = Time.fromMilliseconds 5, interval = Time.zeroTime})
val () = while not (!seen) do OS.Process.sleep (Time.fromMilliseconds 2)
val () = print "seen\n"
