(* Jobs: calls of the system that may take long, on OS threads of their own.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimJobs' =
struct
  (* kind * text * a * b -> number of a job, on an OS thread of its own: 0 a shell's command ->
     wait status; 1 until child a can be waited for; 2 addresses of a host (a: family); 3 name of
     an address; 4 opens a file (a: flags, b: mode); 5 waits for a lock; 6 for a terminal *)
  val job_start = _prim "job_start" : int * string * int * int -> int

  (* 1: it is done; 0: call again *)
  val job_wait = _prim "job_wait" : int -> int

  (* number * thread: 1: it is done; 0: the thread is made ready when it is *)
  val job_watch = _prim "job_watch" : int * 'a -> int

  (* number * int array -> text of the answer; its number (below 0: an error) in the array *)
  val job_take = _prim "job_take" : int * int array -> string

  (* Nobody wants to know any more. *)
  val job_drop = _prim "job_drop" : int -> unit
end
