(* What was read of a connection was kept as long as the connection had nothing new: an empty part of the last piece, which
   keeps all of it. So each idle connection behind a large body, and each WebSocket behind a large message, kept 16 KB, and
   64 KB over TLS. *)
structure Input = HTTPInput'
fun pieces l =
  let
    val left = ref l
    fun more _ = case !left of [] => "" | piece :: rest => (left := rest; piece)
  in
    Input.new (more, fn _ => NONE)
  end
val until = HTTPClock'.deadline (Time.fromSeconds 100)
(* how many bytes are left, and how many are kept *)
fun show (what, {rest, ...} : Input.t) =
  let
    val (whole, _, left) = Substring.base (!rest)
  in
    print (concat [what, ": ", Int.toString left, " left, ", Int.toString (size whole), " kept\n"])
  end
val body = CharVector.tabulate (16000, fn _ => #"b")
val input = pieces ["first line\r\n" ^ body, body, "another line\r\n", "cut", "\r\n"]
fun line () = print (Input.line (input, until, 100, Fail "too long") ^ "\n")
val () = line ()
val () = show ("behind a line", input)
val _ = Input.take (input, 15999)
val () = show ("within a body", input)
val _ = Input.take (input, 15999)
val () = show ("behind a piece", input)
val _ = Input.some (input, until, 100000)
val () = show ("behind a body", input)
val () = line ()
val () = show ("behind another line", input)
val () = line ()
val () = show ("behind one in pieces", input)
