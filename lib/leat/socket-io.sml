(* SocketIO: buffered streams of TextIO and BinIO over a connected socket of any family. *)

signature SOCKET_IO =
sig
  type 'af sock = ('af, Socket.active Socket.stream) Socket.sock

  (* Sends all of the bytes, in as many pieces as it takes. Raises OS.SysErr, as Socket.sendVec does; when it is
     cancelled, a part may have been sent. *)
  val sendAll : 'af sock * Word8Vector.vector -> unit
  (* The same for a slice. *)
  val sendAllSlice : 'af sock * Word8VectorSlice.slice -> unit

  (* Streams that read from a connected socket and write to it, characters as bytes. What is written is sent when the
     buffer is full, by flushOut and by closeOut.

     Closing the outstream tells the other side that no more will be sent; closing the instream, that nothing more will
     be read, and a thread that waits for input has the end of the stream. When both are closed, so is the socket.

     At the end of the program what is in the buffers is sent. For that, all sides that do not read have two seconds
     together; then it is lost, and standard error says so.

     An error of the socket raises IO.Io, whose cause is OS.SysErr. An outstream that cannot send what its buffer has
     cannot be closed either. Socket.close gives that up: what is in the buffer then, or is written later, is lost, who
     reads finds the end, and both streams can be closed. *)
  val openText : 'af sock -> TextIO.instream * TextIO.outstream
  (* The same for bytes. *)
  val openBin : 'af sock -> BinIO.instream * BinIO.outstream

  (* Calls the function with these streams. When it has returned, what it has written is sent. However it ends, the
     streams and the socket are closed then; when it raises an exception, what is in the buffer is lost. *)
  val withText : 'af sock -> (TextIO.instream * TextIO.outstream -> 'a) -> 'a
  (* The same for bytes. *)
  val withBin : 'af sock -> (BinIO.instream * BinIO.outstream -> 'a) -> 'a
end

structure SocketIO :> SOCKET_IO =
struct
  type 'af sock = ('af, Socket.active Socket.stream) Socket.sock

  fun sendAllSlice (sock, slice) =
    if Word8VectorSlice.isEmpty slice then ()
    else
      sendAllSlice (sock, Word8VectorSlice.subslice (slice, Socket.sendVec (sock, slice), NONE))
  fun sendAll (sock, bytes) = sendAllSlice (sock, Word8VectorSlice.full bytes)

  (* No room is made for bytes that are waited for. *)
  fun receive sock n =
    case Socket.recvVecNB (sock, n) of
      SOME bytes => bytes
    | NONE => CML.sync (Socket.recvVecEvt (sock, n))

  fun isClosed (OS.SysErr (_, SOME error)) = OS.errorName error = "badf"
    | isClosed _ = false

  (* What the other side has ended needs no end. *)
  fun quietly f () = f () handle OS.SysErr _ => ()

  fun connection sock : ByteStreams'.connection =
    {name = "<socket>",
     receive = receive sock,
     receiveNow = fn n => Socket.recvVecNB (sock, n),
     send = fn slice => Socket.sendVec (sock, slice),
     sendNow = SOME (fn slice => Socket.sendVecNB (sock, slice)),
     desc = SOME (Socket.ioDesc sock),
     below = SOME (Socket.ioDesc sock),
     isClosed = isClosed,
     endReceiving = quietly (fn () => Socket.shutdown (sock, Socket.NO_RECVS)),
     endSending = quietly (fn () => Socket.shutdown (sock, Socket.NO_SENDS)),
     close = quietly (fn () => Socket.close sock)}

  fun openText sock = ByteStreams'.openText (connection sock)
  fun openBin sock = ByteStreams'.openBin (connection sock)
  fun withText sock = ByteStreams'.withText (connection sock)
  fun withBin sock = ByteStreams'.withBin (connection sock)
end
