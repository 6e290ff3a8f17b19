(* A message goes into the part of the array that was named, wherever that is. Start and length had 32 bits each in one
   number: from 2^32 on in an array a message went elsewhere, and a part of 2^31 raised Overflow. So large an array is too
   large for a test. *)
val t : INetSock.dgram_sock = INetSock.UDP.socket ()
val u : INetSock.dgram_sock = INetSock.UDP.socket ()
val here = valOf (NetHostDB.fromString "127.0.0.1")
val () = Socket.bind (t, INetSock.toAddr (here, 0))
val () = Socket.bind (u, INetSock.toAddr (here, 0))
fun send text =
  Socket.sendVecTo (u, Socket.Ctl.getSockName t, Word8VectorSlice.full (Byte.stringToBytes text))
fun isFromU from = Socket.sameAddr (from, Socket.Ctl.getSockName u)
fun try (a, i, n) =
  let
    val () = send "message"
    val (k, from) = Socket.recvArrFrom (t, Word8ArraySlice.slice (a, i, n))
    val text = Byte.bytesToString (Word8ArraySlice.vector (Word8ArraySlice.slice (a, i, SOME k)))
  in
    print (concat [Int.toString k, " ", text, if isFromU from then "" else " of another", "\n"])
  end
val small = Word8Array.array (20, 0w46)
val () = try (small, 5, NONE)
val () = try (small, 15, SOME 3)
val () = print (Byte.bytesToString (Word8Array.vector small) ^ "\n")
