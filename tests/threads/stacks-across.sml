(* Bodies of resets that one thread takes off and another puts back, while they compute: with several workers, a stack is on a lane
   of one and its thread runs on another, and lanes are asked for, or are in use. *)
open Prompt
val p : int prompt = new ()
val q : int prompt = new ()

val work : ((int -> int) * int) Mailbox.mbox = Mailbox.mailbox ()
val over : int CML.chan = CML.channel ()

fun compute 0 = 0
  | compute n = (n mod 3 + compute (n - 1)) mod 7

fun giver id () =
  let
    fun twice n = if n mod 5 = 0 then reset q (fn () => shift q (fn k => k 1 + k 2)) else 0
    fun go 0 = id
      | go n =
          (ignore (compute 300);
           shiftOnce p (fn k => (Mailbox.send (work, (k, n)); 0)) + twice n + go (n - 1))
    val x = reset p (fn () => reset q (fn () => go 20))
  in
    (* The first part has ended with 0, and a worker has the result. *)
    CML.send (over, x)
  end

fun worker () =
  let
    val (k, n) = Mailbox.recv work
    val () = ignore (compute 500)
    val x = reset q (fn () => k (n mod 2))
  in
    if x = 0 then () else CML.send (over, x);
    worker ()
  end

fun collect (0, sum) = sum
  | collect (n, sum) =
      let val x = CML.recv over
      in collect (if x = 0 then n else n - 1, sum + x) end

val () = List.app (fn i => ignore (CML.spawn (giver (1000 * i)))) [1, 2, 3, 4, 5, 6]
val () = List.app (fn _ => ignore (CML.spawn worker)) [1, 2, 3]
val () = print (Int.toString (collect (6, 0)) ^ "\n")
