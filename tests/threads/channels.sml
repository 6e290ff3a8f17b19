(* Channels: order, blocking on either side, many threads, the sieve. *)
open CML
val a : int chan = channel ()
val () = ignore (spawn (fn () => app (fn i => send (a, i)) [1, 2, 3]))
val () = print (Int.toString (recv a) ^ Int.toString (recv a) ^ Int.toString (recv a) ^ "\n")

fun sum (0, acc) = acc | sum (n, acc) = sum (n - 1, acc + recv a)
val () = List.app (fn i => ignore (spawn (fn () => send (a, i)))) (List.tabulate (100, fn i => i))
val () = print (Int.toString (sum (100, 0)) ^ "\n")

fun sieve n =
  let
    val start = channel ()
    val () = ignore (spawn (fn () => let fun go i = (send (start, i); go (i + 1)) in go 2 end))
    fun filter (p, input) =
      let
        val out = channel ()
        fun go () = let val i = recv input in if i mod p = 0 then () else send (out, i); go () end
      in
        ignore (spawn go);
        out
      end
    fun go (0, _) = []
      | go (k, input) = let val p = recv input in p :: go (k - 1, filter (p, input)) end
  in
    go (n, start)
  end
val () = print (String.concatWith " " (map Int.toString (sieve 15)) ^ "\n")

(* a ring *)
fun ring n =
  let
    val first : int chan = channel ()
    fun link (0, input) = input
      | link (k, input) =
          let val out = channel ()
          in
            ignore (spawn (fn () => send (out, recv input + 1)));
            link (k - 1, out)
          end
    val last = link (n, first)
  in
    ignore (spawn (fn () => send (first, 0)));
    recv last
  end
val () = print (Int.toString (ring 50) ^ "\n")

(* values of every representation *)
val c : (int * real * string) chan = channel ()
val () = ignore (spawn (fn () => send (c, (1, 2.5, "x"))))
val (i, r, s) = recv c
val () = print (Int.toString i ^ Real.toString r ^ s ^ "\n")
