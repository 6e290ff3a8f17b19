(* Vm: threads of the virtual machine, as OCaml's are and Java's green ones were: pre-empted at the end of a time slice, each on
   a stack of its own, with mutexes and condition variables. In Leat they are Thread's; with one worker one runs at a time. *)

structure Vm :> DIRECT =
struct
  exception Deadlock

  structure M = Monitor (ThreadMutex)
  open M

  fun spawn thread = Thread.ready (Thread.new thread)
  val yield = Thread.yield
  fun run main = main ()
end
