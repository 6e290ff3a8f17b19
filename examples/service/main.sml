(* The command line: notes in memory, which are gone at the end. *)

structure Service = ServiceFn (Memory)

val (settings, _) =
  Options.run {about = "Notes as a JSON service.", rest = "", options = Serve.options}
val registry = Metrics.registry ()
val () = Serve.run settings (registry, Service.handler (registry, Memory.new ()))
