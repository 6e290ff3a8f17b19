(* Sys: threads of the operating system, one each, as OCaml's Thread and Java's platform threads are; with mutexes and condition
   variables. In Leat they are bound threads. A worker runs one of them at a time, as OCaml's master lock lets one; the worker
   goes from one OS thread to the next, which costs a wake-up by the kernel. The first thread is the caller's. *)

structure Sys :> DIRECT =
struct
  exception Deadlock

  structure M = Monitor (ThreadMutex)
  open M

  fun spawn thread = Thread.ready (Thread.bound thread)
  val yield = Thread.yield
  fun run main = main ()
end
