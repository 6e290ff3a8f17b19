(* The styles whose threads are Leat's (laws.sml has the others), where nothing depends on who runs when: by any number of
   workers, and by any seed. *)

exception Planted

functor Test (structure L : DIRECT val name : string) =
struct
  open L
  fun check (what, ok) = print (name ^ ": " ^ what ^ (if ok then " ok\n" else " WRONG\n"))

  (* as many as were spawned have put something *)
  fun join (done, 0) = ()
    | join (done, k) = (take done; join (done, k - 1))

  (* Several put, several take: each message arrives once, and in the order in which its thread has put it. *)
  val () = run (fn () =>
    let
      val (producers, consumers, messages) = (4, 3, 12)
      val m : (int * int) option mvar = mvar ()
      val (made, used) : unit mvar * bool mvar = (mvar (), mvar ())
      val sums = mvar ()
      fun produce (p, k) () = if k > messages then put (made, ()) else (put (m, SOME (p, k)); produce (p, k + 1) ())
      fun consume (last, inOrder, sum) () =
        case take m of
          NONE => (put (used, inOrder); put (sums, sum))
        | SOME (p, k) =>
            consume
              (fn q => if q = p then k else last q, inOrder andalso k > last p, sum + k)
              ()
      fun each (0, _) = () | each (k, f) = (spawn (f k); each (k - 1, f))
      val () = each (producers, fn p => produce (p, 1))
      val () = each (consumers, fn _ => consume (fn _ => 0, true, 0))
      val () = join (made, producers)
      val () = spawn (fn () => List.app (fn m => put (m, NONE)) (List.tabulate (consumers, fn _ => m)))
      fun results (0, ok, sum) = (ok, sum)
        | results (k, ok, sum) =
            let
              val inOrder = take used
              val s = take sums
            in
              results (k - 1, ok andalso inOrder, sum + s)
            end
      val (ok, sum) = results (consumers, true, 0)
    in
      check ("order", ok);
      check ("messages", sum = producers * messages * (messages + 1) div 2)
    end)

  (* An MVar as a mutex: what it guards is read, and written after others had their turn. *)
  val () = run (fn () =>
    let
      val guard = mvar ()
      val counter = ref 0
      val done = mvar ()
      fun work 0 () = put (done, ())
        | work k () =
            let
              val () = take guard
              val n = !counter
            in
              if k mod 3 = 0 then yield () else ();
              counter := n + 1;
              put (guard, ());
              work (k - 1) ()
            end
    in
      List.app (fn k => spawn (work k)) [10, 11, 12, 13, 14];
      put (guard, ());
      join (done, 5);
      check ("mutex", !counter = 60)
    end)

  (* A put waits: who fills is never further ahead than the variable holds, and what he has in his hands. *)
  val () = run (fn () =>
    let
      val (m, ahead) = (mvar (), ref 0)
      val lock = mvar ()
      fun change d = (take lock; ahead := !ahead + d; let val n = !ahead in put (lock, ()); n end)
      fun fill k () = if k = 0 then () else (put (m, k); ignore (change 1); fill (k - 1) ())
      fun use (0, most) = most
        | use (k, most) = let val n = (take m; change ~1) in use (k - 1, Int.max (most, n)) end
      val () = spawn (fill 30)
      val () = spawn (fn () => put (lock, ()))
    in
      check ("waits", use (30, 0) <= 1)
    end)

  (* a ring, round which a number runs *)
  val () = run (fn () =>
    let
      val first = mvar ()
      fun pass (from, to) () = (put (to, take from + 1); pass (from, to) ())
      fun ring (0, from) = from
        | ring (k, from) = let val to = mvar () in spawn (pass (from, to)); ring (k - 1, to) end
      val last = ring (20, first)
      fun rounds (0, x) = x
        | rounds (k, x) = (put (first, x); rounds (k - 1, take last))
    in
      check ("ring", rounds (10, 0) = 200)
    end)

  val () = check ("result", run (fn () => (spawn (fn () => ()); "text")) = "text")
  val () = check ("raise", run (fn () => raise Planted) handle Planted => true)
end

structure TestVm = Test (structure L = Vm val name = "vm")
structure TestOwn = Test (structure L = Own val name = "own")
