(* Producers and consumers with a bounded buffer between them. *)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val producers = 4
val consumers = 4

fun main () =
  let
    val buffer = Mailbox.bounded 64
    val done = CML.channel ()
    fun produce i =
      let
        fun loop k = if k >= n then () else (Mailbox.send (buffer, SOME k); loop (k + producers))
      in
        loop i;
        CML.send (done, 0)
      end
    fun consume sum =
      case Mailbox.recv buffer of
        NONE => CML.send (done, sum)
      | SOME k => consume ((sum + k * 7) mod 1000003)
    fun collect count =
      foldl (fn (_, s) => (s + CML.recv done) mod 1000003) 0 (List.tabulate (count, ignore))
  in
    app (fn i => ignore (CML.spawn (fn () => produce i))) (List.tabulate (producers, fn i => i));
    app (fn _ => ignore (CML.spawn (fn () => consume 0))) (List.tabulate (consumers, ignore));
    (* The producers are done before the consumers are told to end, so zeroes come first. *)
    ignore (collect producers);
    app (fn _ => Mailbox.send (buffer, NONE)) (List.tabulate (consumers, ignore));
    print (concat [Int.toString n, " things, sum ", Int.toString (collect consumers), "\n"])
  end

val _ = RunCML.doit (main, NONE)
