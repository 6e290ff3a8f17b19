(* MONADIC: threads whose code says, wherever it may have to wait, what comes after.

     take a >>= (fn x =>
     put (b, x + 1) >>= (fn () =>
     finished))

   This is what trampolined style, the continuation monad, promises and handlers of events have in common, so a program over
   this signature runs by any of them. Loops are tail calls: `fun loop () = take a >>= (fn x => put (b, x) >>= loop)`. *)

signature MONADIC =
sig
  include MVAR
  (* what a thread does from some place to its end *)
  type process

  (* does the action, then goes on with what it gives; infix, the program says so by `infix 1 >>=` *)
  val >>= : 'a action * ('a -> process) -> process
  (* the end of a thread *)
  val finished : process

  (* makes a thread, which runs when its turn comes; the caller goes on *)
  val spawn : (unit -> process) -> unit action
  (* lets the other threads have their turns *)
  val yield : unit -> unit action
  (* Runs the function as the first thread until somebody calls its argument with the result. An exception of any thread
     ends it. One run may be under way. *)
  val run : (('a -> process) -> process) -> 'a
  (* every thread waits, and there is no result *)
  exception Deadlock
end

(* MONAD: the same where an action may consist of actions. A structure with this signature has MONADIC too. *)

signature MONAD =
sig
  include MVAR
  type process = unit action

  (* does nothing and gives the value *)
  val return : 'a -> 'a action
  (* does the action, then the action that the function makes of what it gives; infix, the program says so by `infix 1
     >>=` *)
  val >>= : 'a action * ('a -> 'b action) -> 'b action
  (* does nothing more: the end of a thread *)
  val finished : process

  (* makes a thread, which runs when its turn comes; the caller goes on *)
  val spawn : (unit -> process) -> unit action
  (* lets the other threads have their turns *)
  val yield : unit -> unit action
  (* Runs the function as the first thread until somebody calls its argument with the result. An exception of any thread
     ends it. One run may be under way. Raises Deadlock when every thread waits. *)
  val run : (('a -> process) -> process) -> 'a
  exception Deadlock
end
