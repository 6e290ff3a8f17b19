(* What the styles with a scheduler of their own promise (threads.sml has the others): the threads that wait are served in
   turn, a put waits while the variable is full, a new thread does not run at once, a run ends with its first thread,
   deadlock and exceptions end it, and it can be followed by another. *)

val log : string list ref = ref []
fun say s = log := s :: !log
fun said () = String.concatWith " " (rev (!log)) before log := []

exception Planted

functor Direct (structure L : DIRECT val name : string) =
struct
  open L
  fun show text = print (name ^ ": " ^ text ^ "\n")

  val () = run (fn () =>
    let
      val m : int mvar = mvar ()
      fun taker k () = say (k ^ Int.toString (take m))
      val () = spawn (taker "a")
      val () = spawn (taker "b")
      val () = spawn (taker "c")
    in
      say "spawned";
      yield ();
      put (m, 1);
      put (m, 2);
      put (m, 3);
      yield ();
      yield ()
    end)
  val () = show ("takers " ^ said ())

  val () = run (fn () =>
    let
      val m : string mvar = mvar ()
      val () = spawn (fn () => (put (m, "x"); say "put-x"; put (m, "y"); say "put-y"; put (m, "z"); say "put-z"))
      val () = spawn (fn () => (put (m, "u"); say "put-u"))
    in
      yield ();
      yield ();
      say "full";
      say (take m);
      yield ();
      yield ();
      say (take m);
      yield ();
      yield ();
      say (take m);
      yield ();
      yield ();
      say (take m);
      yield ()
    end)
  val () = show ("putters " ^ said ())

  (* a value of another type than the MVars', and one run after another *)
  val () = show ("result " ^ run (fn () => (spawn (fn () => say "never waited for"); "text")))
  val () = ignore (said ())
  val () = show ("raise " ^ (run (fn () => raise Planted) handle Planted => "Planted"))
  val () = show ("caught " ^ run (fn () =>
    let val m = mvar ()
    in
      spawn (fn () => put (m, (raise Planted) handle Planted => "in its thread"));
      take m
    end))
  val () = show ("deadlock " ^ (run (fn () => take (mvar ())) handle Deadlock => "Deadlock"))
  val () = show ("thread " ^ (run (fn () => (spawn (fn () => raise Planted); take (mvar ()))) handle Planted => "Planted"))
  val () = show ("again " ^ Int.toString (run (fn () =>
    let
      val (m, n) = (mvar (), mvar ())
      fun go (0, sum) = sum | go (k, sum) = (put (m, k); go (k - 1, sum + take n))
      fun echo () = (put (n, take m); echo ())
    in
      spawn echo;
      go (100, 0)
    end)))
end

functor Monadic (structure L : MONADIC val name : string val inTurn : bool) =
struct
  open L
  infix 1 >>=
  fun show text = print (name ^ ": " ^ text ^ "\n")

  val () = run (fn result =>
    let
      val m : int mvar = mvar ()
      fun taker k () = take m >>= (fn x => (say (k ^ Int.toString x); finished))
    in
      spawn (taker "a") >>= (fn () =>
      spawn (taker "b") >>= (fn () =>
      spawn (taker "c") >>= (fn () =>
      (say "spawned";
       yield () >>= (fn () =>
       put (m, 1) >>= (fn () =>
       put (m, 2) >>= (fn () =>
       put (m, 3) >>= (fn () =>
       yield () >>= (fn () =>
       yield () >>= (fn () => result ()))))))))))
    end)
  val () = show ("takers " ^ said ())

  val () = run (fn result =>
    let
      val m : string mvar = mvar ()
      fun putter [] () = finished
        | putter (x :: rest) () = put (m, x) >>= (fn () => (say ("put-" ^ x); putter rest ()))
      fun taker 0 () = result ()
        | taker k () =
            take m >>= (fn x =>
            (say x;
             yield () >>= (fn () =>
             yield () >>= taker (k - 1))))
    in
      spawn (putter ["x", "y", "z"]) >>= (fn () =>
      spawn (putter ["u"]) >>= (fn () =>
      yield () >>= (fn () =>
      yield () >>= (fn () =>
      (say "full"; taker 4 ())))))
    end)
  (* the event queues let a thread that comes along be faster *)
  val () = if inTurn then show ("putters " ^ said ()) else ignore (said ())

  val () = show ("result " ^ run (fn result => spawn (fn () => (say "never waited for"; finished)) >>= (fn () => result "text")))
  val () = ignore (said ())
  val () = show ("raise " ^ (run (fn _ => raise Planted) handle Planted => "Planted"))
  val () = show ("deadlock " ^ (run (fn result => take (mvar ()) >>= result) handle Deadlock => "Deadlock"))
  val () = show ("thread " ^ (run (fn result => spawn (fn () => raise Planted) >>= (fn () => take (mvar ()) >>= result))
                              handle Planted => "Planted"))
  val () = show ("again " ^ Int.toString (run (fn result =>
    let
      val (m, n) = (mvar (), mvar ())
      fun go (0, sum) () = result sum
        | go (k, sum) () = put (m, k) >>= (fn () => take n >>= (fn x => go (k - 1, sum + x) ()))
      fun echo () = take m >>= (fn x => put (n, x) >>= echo)
    in
      spawn echo >>= go (100, 0)
    end)))
end

(* a monad's actions are made of actions *)
functor Monad (structure L : MONAD val name : string) =
struct
  open L
  infix 1 >>=
  structure M = Monadic (structure L = L val name = name val inTurn = true)

  fun both (a, b) = take a >>= (fn x => take b >>= (fn y => return (x, y)))
  fun sum (_, 0) = return 0
    | sum (m, k) = take m >>= (fn x => sum (m, k - 1) >>= (fn rest => return (x + rest)))
  (* binds that nest to the left, thousands deep *)
  fun left (_, 0) = return 0
    | left (m, k) = left (m, k - 1) >>= (fn s => take m >>= (fn x => return (s + x)))

  fun feed (m, k) () = if k = 0 then finished else put (m, k) >>= feed (m, k - 1)

  val () = print (name ^ ": composed " ^ run (fn result =>
    let val (a, b, m) = (mvar (), mvar (), mvar ())
    in
      spawn (fn () => put (b, "b") >>= (fn () => put (a, "a") >>= (fn () => finished))) >>= (fn () =>
      spawn (feed (m, 2000)) >>= (fn () =>
      both (a, b) >>= (fn (x, y) =>
      sum (m, 1000) >>= (fn s =>
      left (m, 1000) >>= (fn t =>
      result (x ^ y ^ " " ^ Int.toString s ^ " " ^ Int.toString t))))))
    end) ^ "\n")
end

structure TestCallcc = Direct (structure L = Callcc val name = "callcc")
structure TestDlcont = Direct (structure L = Dlcont val name = "dlcont")
structure TestTramp = Monadic (structure L = Tramp val name = "tramp" val inTurn = true)
structure TestCont = Monad (structure L = Cont val name = "cont")
structure TestPromise = Monad (structure L = Promise val name = "promise")
structure TestPolled = Monadic (structure L = Equeue val name = "equeue" val inTurn = false)
structure TestOrdered = Monadic (structure L = EqueueOrdered val name = "equeue-ordered" val inTurn = false)
structure TestKeyed = Monadic (structure L = EqueueKeyed val name = "equeue-keyed" val inTurn = false)
structure TestKeyedResult = Monadic (structure L = EqueueKeyedResult val name = "equeue-keyed-result" val inTurn = false)
