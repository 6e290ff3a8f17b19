(* TlsIO: buffered streams of TextIO and BinIO over a connection of TLS. *)

signature TLS_IO =
sig
  (* Streams that read from a connection and write to it, characters as bytes. What is written is sent when the buffer
     is full, by flushOut and by closeOut.

     Closing the outstream tells the other side that no more will be sent. Closing the instream tells it nothing, and
     waits for a thread that waits for input. When both are closed, so are the connection and its socket.

     At the end of the program what is in the buffers is sent, as those of SocketIO are. Over a wire of the program's own
     that may take any time.

     An error raises IO.Io, whose cause is Tls.Failed, or OS.SysErr of the socket. An outstream that cannot send what
     its buffer has cannot be closed either. Tls.close gives that up: what is in the buffer then, or is written later,
     is lost, who reads finds the end, and both streams can be closed. *)
  val openText : Tls.stream -> TextIO.instream * TextIO.outstream
  (* The same for bytes. *)
  val openBin : Tls.stream -> BinIO.instream * BinIO.outstream

  (* Calls the function with these streams. When it has returned, what it has written is sent. However it ends, the
     streams and the connection are closed then; when it raises an exception, what is in the buffer is lost. *)
  val withText : Tls.stream -> (TextIO.instream * TextIO.outstream -> 'a) -> 'a
  (* The same for bytes. *)
  val withBin : Tls.stream -> (BinIO.instream * BinIO.outstream -> 'a) -> 'a
end

structure TlsIO :> TLS_IO =
struct
  fun isClosed (Tls.Failed (Tls.CLOSED, _)) = true
    | isClosed (OS.SysErr (_, SOME error)) = OS.errorName error = "badf"
    | isClosed _ = false

  (* The event, since it says how much was taken: of a call that is cancelled nobody knows. What was taken may still wait
     for the socket, and would be lost if the program ended then. The next call is told that it is cancelled. *)
  val nothing = Word8VectorSlice.full (Word8Vector.fromList [])
  fun send stream slice =
    let
      val n = CML.sync (Tls.sendVecEvt (stream, slice))
    in
      Tls.sendVec (stream, nothing) handle Scope.Cancelled => ();
      n
    end

  (* That the other side is gone does not matter at the end. *)
  fun finish stream () =
    Tls.finish stream handle Tls.Failed _ => () | OS.SysErr _ => ()

  (* That the socket is readable says nothing of what can be read here. *)
  fun connection stream : ByteStreams'.connection =
    {name = "<tls>",
     receive = fn n => Tls.recvVec (stream, n),
     receiveNow = fn n => Tls.recvVecNB (stream, n),
     send = send stream,
     sendNow = NONE,
     desc = NONE,
     below = Tls.ioDesc stream,
     isClosed = isClosed,
     endReceiving = fn () => (),
     endSending = finish stream,
     close = fn () => Tls.close stream}

  fun openText stream = ByteStreams'.openText (connection stream)
  fun openBin stream = ByteStreams'.openBin (connection stream)
  fun withText stream = ByteStreams'.withText (connection stream)
  fun withBin stream = ByteStreams'.withBin (connection stream)
end
