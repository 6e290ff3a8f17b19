(* The command line: notes in a file. *)

structure Service = ServiceFn (SqliteStore)

infix 4 **
val op ** = Options.**
val options =
  Options.make (fn file => fn settings => (file, settings))
  ** Options.value
    (Options.string, "notes.db")
    {name = "file", short = "f", env = "FILE", help = "where notes are kept"}
  ** Serve.options

val ((file, settings), _) =
  Options.run {about = "Notes as a JSON service.", rest = "", options = options}
val registry = Metrics.registry ()
val store = SqliteStore.open' file
val () = Serve.run settings (registry, Service.handler (registry, store))
val () = SqliteStore.close store
