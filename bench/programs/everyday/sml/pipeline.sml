(* A pipeline of ten threads: numbers go through all of them, each adds its own. *)

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val stages = 10

fun main () =
  let
    val first = CML.channel ()
    fun stage (i, input) =
      let
        val output = CML.channel ()
        fun loop () = (CML.send (output, (CML.recv input * 3 + i) mod 1000003); loop ())
      in
        ignore (CML.spawn loop);
        output
      end
    val last = foldl stage first (List.tabulate (stages, fn i => i))
    fun feed k = if k = n then () else (CML.send (first, k); feed (k + 1))
    fun drain (0, sum) = sum
      | drain (k, sum) = drain (k - 1, (sum * 31 + CML.recv last) mod 1000003)
  in
    ignore (CML.spawn (fn () => feed 0));
    print (concat ["sum ", Int.toString (drain (n, 0)), "\n"])
  end

val _ = RunCML.doit (main, NONE)
