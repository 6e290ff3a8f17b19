(* Bodies that are taken off with two resets in between and deep frames, and called twice, each time by another thread: their
   stacks are copied, and are on lanes of several workers. *)
open Prompt
val p : int prompt = new ()
val q : int prompt = new ()
val r : int prompt = new ()

val work : ((int -> int) * int) Mailbox.mbox = Mailbox.mailbox ()
val over : int CML.chan = CML.channel ()

fun compute 0 = 0
  | compute n = (n mod 3 + compute (n - 1)) mod 7

(* so many frames more *)
fun below (0, f) = f ()
  | below (n, f) = 1 + below (n - 1, f)

fun giver () =
  let
    fun go 0 = 1
      | go n =
          below (n * 7, fn () =>
            reset q (fn () => below (n, fn () => reset r (fn () =>
              (ignore (compute 200);
               below (n * 3, fn () => shift p (fn k => (Mailbox.send (work, (k, n)); Mailbox.send (work, (k, n + 1)); 0)) +
                 shiftOnce q (fn k => k n + 1)))))))
          + (if n > 1 then go (n - 1) else 0)
  in
    CML.send (over, reset p (fn () => go 6))
  end

fun worker () =
  let
    val (k, n) = Mailbox.recv work
    val () = ignore (compute 300)
    val x = below (n, fn () => reset r (fn () => k (n mod 3))) - n
  in
    CML.send (over, x);
    worker ()
  end

val threads = 3
(* each shift gives two calls: 2 + 4 + .. + 2^6 results, and one of the first *)
val expected = threads * (1 + 2 + 4 + 8 + 16 + 32 + 64)
val () = List.app (fn _ => ignore (CML.spawn giver)) (List.tabulate (threads, fn i => i))
val () = List.app (fn _ => ignore (CML.spawn worker)) [1, 2, 3, 4]

fun collect (0, sum) = sum
  | collect (n, sum) = collect (n - 1, sum + CML.recv over)
val () = print (Int.toString (collect (expected, 0)) ^ "\n")
