(* Ready: the queue of threads that can go on, each a function that does the next piece of its thread's work, and the loop
   that runs them in turn. A style with a scheduler of its own makes one of these. *)

signature READY =
sig
  exception Deadlock
  (* behind those that are ready already *)
  val later : (unit -> unit) -> unit
  (* the next one, which leaves the queue; raises Deadlock when there is none *)
  val next : unit -> unit -> unit
  (* forgets them all: a run begins *)
  val clear : unit -> unit
  (* runs them until there is a result *)
  val until : 'a option ref -> 'a
end

functor Ready () :> READY =
struct
  exception Deadlock

  (* As Fifo, in two cells: nothing but the list's own cell is made. *)
  val front : (unit -> unit) list ref = ref []
  val back : (unit -> unit) list ref = ref []

  fun clear () = (front := []; back := [])
  fun later f = back := f :: !back

  fun next () =
    case !front of
      f :: rest => (front := rest; f)
    | [] =>
        case rev (!back) of
          [] => raise Deadlock
        | f :: rest => (back := []; front := rest; f)

  fun until result =
    case !result of
      SOME x => (clear (); x)
    | NONE => (next () (); until result)
end
