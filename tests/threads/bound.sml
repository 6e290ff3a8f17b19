(* Bound threads: each has an OS thread of its own from its beginning to its end, whatever it does, and nobody else runs there.
   They are threads as all others otherwise. *)
open CML

exception Planted

fun churn 0 = []
  | churn n = Int.toString n :: churn (n - 1)
fun compute (0, x) = x
  | compute (n, x) = compute (n - 1, (x * 3 + 1) mod 1000003)

(* the number of the OS thread, and whether it was the same at all times *)
type answer = {bound : bool, os : int, same : bool}
val answers : answer chan = channel ()

fun life partner () =
  let
    val os = Thread.osThread ()
    fun after work = (ignore (work ()); Thread.osThread () = os)
    val steps =
      [fn () => after Thread.yield,
       fn () => after (fn () => partner 1),
       fn () => after (fn () => length (churn 20)),
       fn () => after (fn () => compute (1000, 1)),
       fn () => after (fn () => sync (timeOutEvt (Time.fromMicroseconds 50))),
       fn () => after (fn () => (raise Planted) handle Planted => ()),
       fn () => after (fn () => SMLofNJ.Cont.callcc (fn k => SMLofNJ.Cont.throw k ())),
       (* on a stack of its own, which is exchanged, and copied *)
       fn () => after (fn () =>
         let val p = Prompt.new ()
         in Prompt.reset p (fn () => 1 + Prompt.shift p (fn k => k (partner 4) + k 10)) end),
       (* frames that go to the heap and come back *)
       fn () => after (fn () => let fun deep 0 = partner 2 | deep n = 1 + deep (n - 1) in deep 200 end),
       (* a thread that is made here, of the other kind *)
       fn () => after (fn () =>
         let
           val c = channel ()
           fun child () = send (c, Thread.osThread () <> os)
         in
           Thread.ready (if Thread.isBound (Thread.self ()) then Thread.new child else Thread.bound child);
           if recv c then () else print "another one's OS thread\n"
         end),
       fn () => after (fn () => partner 3)]
    val same = List.foldl (fn (step, same) => step () andalso same) true steps
  in
    send (answers, {bound = Thread.isBound (Thread.self ()), os = os, same = same})
  end

(* two that send to and fro *)
fun pair (make, make') =
  let
    val (there, back) = (channel (), channel ())
    fun first n = (send (there, n); recv back)
    fun second n = let val m = recv there in send (back, n); m end
  in
    Thread.ready (make (life first));
    Thread.ready (make' (life second))
  end

val () = List.app pair
  [(Thread.bound, Thread.bound), (Thread.bound, Thread.new), (Thread.new, Thread.bound), (Thread.new, Thread.new)]

val all = List.tabulate (8, fn _ => recv answers)
val (bound, free) = List.partition #bound all
fun say (what, ok) = print (what ^ (if ok then " ok\n" else " WRONG\n"))
fun distinct [] = true
  | distinct (x :: rest) = not (List.exists (fn y : int => x = y) rest) andalso distinct rest

val () = say ("bound", length bound = 4 andalso List.all #same bound)
val () = say ("distinct", distinct (map #os bound))
val () = say ("nobody else", not (List.exists (fn {os, ...} => List.exists (fn b : answer => #os b = os) bound) free))
val () = say ("main", not (Thread.isBound (Thread.self ())) andalso
                      not (List.exists (fn b : answer => #os b = Thread.osThread ()) bound))

(* Frames of another thread, which may be on another worker's lane, run on the OS thread of the one that has thrown to them. *)
val conts : unit SMLofNJ.Cont.cont chan = channel ()
val (mine, where') = (channel () : int chan, channel () : int chan)
fun owner () =
  (SMLofNJ.Cont.callcc (fn k => send (conts, k));
   send (where', Thread.osThread ()))
fun thrower k () = (send (mine, Thread.osThread ()); SMLofNJ.Cont.throw k ())
fun thrown _ =
  let
    val () = Thread.ready (Thread.new owner)
    val k = recv conts
    val _ = recv where'
    val () = Thread.ready (Thread.bound (thrower k))
    val os = recv mine
  in
    recv where' = os
  end
val () = say ("throw", List.all thrown [1, 2, 3, 4])
