(* A pipeline: threads joined by channels, each of which passes on what it makes of what comes; they work at the same time, and
   a slow one slows those before it. The end is a value of its own.
   Usage: leat run examples/stream.sml *)

signature STREAM =
sig
  type 'a stream
  val fromList : 'a list -> 'a stream
  val map : ('a -> 'b) -> 'a stream -> 'b stream
  val filter : ('a -> bool) -> 'a stream -> 'a stream
  (* so many in a list; the last may be shorter *)
  val chunks : int -> 'a stream -> 'a list stream
  val fold : ('a * 'b -> 'b) -> 'b -> 'a stream -> 'b
end

structure Stream :> STREAM =
struct
  open CML

  type 'a stream = 'a option chan

  fun stage body = let val out = channel () in ignore (spawn (fn () => body out)); out end

  fun fromList xs =
    stage (fn out => (app (fn x => send (out, SOME x)) xs; send (out, NONE)))

  (* `step` may send as much as it likes for each element; `last` does what is left when all have come. *)
  fun each step last state input =
    stage (fn out =>
      let
        fun loop state =
          case recv input of
            SOME x => loop (step (out, state, x))
          | NONE => (last (out, state); send (out, NONE))
      in
        loop state
      end)

  fun map f = each (fn (out, (), x) => send (out, SOME (f x))) ignore ()
  fun filter p = each (fn (out, (), x) => if p x then send (out, SOME x) else ()) ignore ()

  fun chunks n =
    each
      (fn (out, xs, x) =>
        if length xs + 1 = n then (send (out, SOME (rev (x :: xs))); []) else x :: xs)
      (fn (out, xs) => if null xs then () else send (out, SOME (rev xs)))
      []

  fun fold f state input =
    case recv input of
      SOME x => fold f (f (x, state)) input
    | NONE => state
end

val () =
  Stream.fold (fn (line, ()) => print (line ^ "\n")) () (Stream.map
                                                           (fn ns =>
                                                             String.concatWith
                                                               " + "
                                                               (map Int.toString ns)
                                                             ^ " = "
                                                             ^ Int.toString (foldl op + 0 ns))
                                                           (Stream.chunks 3 (Stream.filter
                                                                               (fn n =>
                                                                                n mod 7 <> 0)
                                                                               (Stream.map
                                                                                (fn n => n * n)
                                                                                (Stream.fromList
                                                                                (List.tabulate (14,
                                                                                fn i => i + 1)))))))
