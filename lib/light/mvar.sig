(* MVAR: variables that are empty or full, on which threads wait. After Barth, Nikhil and Arvind's M-structures, FPCA 1991, and
   Peyton Jones, Gordon and Finne, Concurrent Haskell, POPL 1996.

   An MVar is the one means by which the threads of all nine styles talk: a channel of one place. *)

signature MVAR =
sig
  type 'a mvar
  (* what gives an 'a when it is done: 'a itself in direct style, a description of it in monadic style *)
  type 'a action

  (* a new one, empty *)
  val mvar : unit -> 'a mvar
  (* fills it; waits while it is full *)
  val put : 'a mvar * 'a -> unit action
  (* empties it; waits while it is empty *)
  val take : 'a mvar -> 'a action
  (* Those that wait go on first come first served. *)
end
