(* Socket.select looked for each of n sockets among all the ready ones: n * n comparisons. It gives those that are ready in
   the order in which they were asked for, in each of the three lists, and one as often as it was asked for. *)
type sock = Socket.active UnixSock.stream_sock
val pairs : (sock * sock) list = List.tabulate (60, fn _ => UnixSock.Strm.socketPair ())
val byte = Word8VectorSlice.full (Byte.stringToBytes "x")
val numbered = ListPair.zip (List.tabulate (60, fn i => i), pairs)
val () = List.app (fn (i, (_, b)) => if i mod 3 = 0 then ignore (Socket.sendVec (b, byte)) else ()) numbered
fun number desc =
  case List.find (fn (_, (a, _)) => Socket.sameDesc (Socket.sockDesc a, desc)) numbered of
    SOME (i, _) => Int.toString i
  | NONE => "another"
fun descs is = List.map (fn (_, (a, _)) => Socket.sockDesc a) (List.filter (is o #1) numbered)
fun show (what, found) = print (what ^ ": " ^ String.concatWith " " (List.map number found) ^ "\n")
fun ask {rds, wrs, exs} =
  let
    val {rds, wrs, exs} = Socket.select {rds = rds, wrs = wrs, exs = exs, timeout = SOME Time.zeroTime}
  in
    show ("to read", rds);
    show ("to write", wrs);
    show ("urgent", exs)
  end
val () = ask {rds = descs (fn _ => true), wrs = descs (fn i => i mod 10 = 1), exs = descs (fn i => i < 5)}
val () = ask {rds = List.rev (descs (fn i => i < 7)) @ descs (fn i => i < 4), wrs = [], exs = descs (fn i => i < 5)}
val () = ask {rds = [], wrs = descs (fn i => i < 3) @ descs (fn i => i < 3), exs = []}
val () = ask {rds = descs (fn i => i = 1), wrs = [], exs = []}
val () = List.app (fn (a, b) => (Socket.close a; Socket.close b)) pairs
