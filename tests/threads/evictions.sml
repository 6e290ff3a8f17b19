(* Many more threads than lanes: each is evicted into the piece of stack that it was restored from, with more frames than the
   last time, or fewer, or other ones, and with references that are younger than the piece. A captured continuation keeps
   what it was made of, whatever is evicted in between. *)

structure C = SMLofNJ.Cont

datatype again = Again of again C.cont * int

fun sum l = foldl op + 0 l

(* n frames, each with a list of its own, and a switch under them *)
fun nest (0, l, captures) =
      if captures then
        case C.callcc (fn k => Again (k, 0)) of
          Again (k, n) => (Thread.yield (); if n < 2 then C.throw k (Again (k, n + 1)) else sum l + n)
      else (Thread.yield (); sum l)
  | nest (n, l, captures) =
      let
        val mine = [n, n + 1]
        val inner = nest (n - 1, n :: l, captures)
      in
        Thread.yield ();
        inner + sum mine - 2 * n - 1
      end

val threads = 48
val rounds = 9
(* each thread's own: when it has ended, its wrong answers *)
val wrong : int SyncVar.ivar vector = Vector.tabulate (threads, fn _ => SyncVar.iVar ())

fun worker i () =
  let
    fun go (r, bad) =
      if r = rounds then bad
      else
        let
          val depth = (i * 7 + r * 5) mod 11
          val captures = (i + r) mod 3 = 0
          val expected = depth * (depth + 1) div 2 + i + (if captures then 2 else 0)
        in
          go (r + 1, if nest (depth, [i], captures) = expected then bad else bad + 1)
        end
  in
    SyncVar.iPut (Vector.sub (wrong, i), go (0, 0))
  end

val () = List.app (fn i => ignore (Thread.spawn (worker i))) (List.tabulate (threads, fn i => i))
fun isOver result = isSome (SyncVar.iGetPoll result)
fun wait () = if Vector.all isOver wrong then () else (Thread.yield (); wait ())
val () = wait ()
val () = print (Int.toString (Vector.foldl (fn (result, n) => SyncVar.iGet result + n) 0 wrong) ^ " wrong answers\n")
