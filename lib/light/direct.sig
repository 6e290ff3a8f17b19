(* DIRECT: threads in direct style. An operation that has to wait is an ordinary call that returns later. *)

signature DIRECT =
sig
  include MVAR where type 'a action = 'a

  (* makes a thread, which runs when its turn comes; the caller goes on *)
  val spawn : (unit -> unit) -> unit
  (* lets the other threads have their turns *)
  val yield : unit -> unit
  (* Runs the function as the first thread, and gives what it returns; what the other threads have not done by then is not
     waited for. An exception of the function's is run's. In the styles with a scheduler of their own (Callcc, Dlcont) only
     one run may be under way, and an exception of any thread ends it. *)
  val run : (unit -> 'a) -> 'a
  (* raised by such a scheduler when every thread waits; the threads of Vm, Sys and Own are Leat's, and Leat reports it *)
  exception Deadlock
end
