(* ByteStreams': a connection of bytes, a socket's or one of TLS -> buffered streams of TextIO and BinIO.

   Both directions share the connection: who closes one says so to the other side, and who closes the second one closes
   the connection. *)

structure ByteStreams' : sig
  (* What a connection can do. `receive` gives at most so many bytes, at least one, none at the end; `send` sends some.
     The others are for those that do not wait: NONE where they would. *)
  type connection =
    {name : string,
     receive : int -> Word8Vector.vector,
     receiveNow : int -> Word8Vector.vector option,
     send : Word8VectorSlice.slice -> int,
     sendNow : (Word8VectorSlice.slice -> int option) option,
     (* of who waits for the connection to be readable *)
     desc : OS.IO.iodesc option,
     (* of the socket to which it sends *)
     below : OS.IO.iodesc option,
     (* whether this exception is that of a connection which was closed here *)
     isClosed : exn -> bool,
     endReceiving : unit -> unit,
     endSending : unit -> unit,
     close : unit -> unit}

  val openText : connection -> TextIO.instream * TextIO.outstream
  val openBin : connection -> BinIO.instream * BinIO.outstream
  val withText : connection -> (TextIO.instream * TextIO.outstream -> 'a) -> 'a
  val withBin : connection -> (BinIO.instream * BinIO.outstream -> 'a) -> 'a
end =
struct
  type connection =
    {name : string,
     receive : int -> Word8Vector.vector,
     receiveNow : int -> Word8Vector.vector option,
     send : Word8VectorSlice.slice -> int,
     sendNow : (Word8VectorSlice.slice -> int option) option,
     desc : OS.IO.iodesc option,
     below : OS.IO.iodesc option,
     isClosed : exn -> bool,
     endReceiving : unit -> unit,
     endSending : unit -> unit,
     close : unit -> unit}

  (* the most that is asked for at a time, and at first *)
  val chunk = 16384
  val least = 2048
  (* Each connection has a buffer of this size. *)
  val outChunk = 4096

  (* How much is asked for at a time: twice as much as before when that was not enough. Room is made for it before it is
     known how much there is, and most messages are short. *)
  fun growing receive =
    let
      val size = ref least
      fun note bytes =
        (if Word8Vector.length bytes >= !size then size := Int.min (2 * !size, chunk) else ();
         bytes)
    in
      {now = fn n => Option.map note (#2 receive (Int.min (n, !size))),
       wait = fn n => note (#1 receive (Int.min (n, !size)))}
    end

  (* What closes each of the directions. *)
  fun closing ({endReceiving, endSending, close, ...} : connection) =
    let
      val left = ref 2
      fun closes ends () = if Outside'.change (left, fn n => n - 1) = 0 then close () else ends ()
    in
      {closeIn = closes endReceiving, closeOut = closes endSending}
    end

  fun binary
    (connection as {name, receive, receiveNow, send, sendNow, desc, below, isClosed, ...}) =
    let
      val {now, wait} = growing (receive, receiveNow)
      val {closeIn, closeOut} = closing connection
      (* Of a connection that the program has closed nothing comes any more, and what is left in a buffer is dropped. *)
      fun unless (f, answer) x = f x handle e => if isClosed e then answer x else raise e
      val empty = Word8Vector.fromList []
      fun ofArray f slice = f (Word8VectorSlice.full (Word8ArraySlice.vector slice))
      val read = unless (wait, fn _ => empty)
      val readNow = unless (now, fn _ => SOME empty)
      val write = unless (send, Word8VectorSlice.length)
      val writeNow = Option.map (fn send => unless (send, SOME o Word8VectorSlice.length)) sendNow
    in
      (BinPrimIO.RD {name = name,
                     chunkSize = chunk,
                     readVec = SOME read,
                     readArr = NONE,
                     readVecNB = SOME readNow,
                     readArrNB = NONE,
                     block = NONE,
                     canInput = NONE,
                     avail = fn () => NONE,
                     getPos = NONE,
                     setPos = NONE,
                     endPos = NONE,
                     verifyPos = NONE,
                     close = closeIn,
                     ioDesc = desc},
       BinPrimIO.WR {name = name,
                     chunkSize = outChunk,
                     writeVec = SOME write,
                     writeArr = SOME (ofArray write),
                     writeVecNB = writeNow,
                     writeArrNB = Option.map ofArray writeNow,
                     block = NONE,
                     canOutput = NONE,
                     getPos = NONE,
                     setPos = NONE,
                     endPos = NONE,
                     verifyPos = NONE,
                     close = closeOut,
                     ioDesc = below})
    end

  (* The same for characters, which are bytes. *)
  fun textReader (BinPrimIO.RD {name, chunkSize, readVec, readVecNB, avail, close, ioDesc, ...}) =
    TextPrimIO.RD {name = name,
                   chunkSize = chunkSize,
                   readVec = Option.map (fn read => Byte.bytesToString o read) readVec,
                   readArr = NONE,
                   readVecNB =
                     Option.map (fn read => Option.map Byte.bytesToString o read) readVecNB,
                   readArrNB = NONE,
                   block = NONE,
                   canInput = NONE,
                   avail = avail,
                   getPos = NONE,
                   setPos = NONE,
                   endPos = NONE,
                   verifyPos = NONE,
                   close = close,
                   ioDesc = ioDesc}
  fun textWriter (BinPrimIO.WR {name, chunkSize, writeVec, writeVecNB, close, ioDesc, ...}) =
    let
      (* The string is not copied: a long one goes in many pieces. *)
      fun part slice =
        let
          val (text, i, n) = CharVectorSlice.base slice
        in
          Word8VectorSlice.slice (Byte.stringToBytes text, i, SOME n)
        end
      fun copied slice =
        Word8VectorSlice.full (Byte.stringToBytes (CharArraySlice.vector slice))
      fun ofPart f = f o part
      fun ofCopy f = f o copied
    in
      TextPrimIO.WR {name = name,
                     chunkSize = chunkSize,
                     writeVec = Option.map ofPart writeVec,
                     writeArr = Option.map ofCopy writeVec,
                     writeVecNB = Option.map ofPart writeVecNB,
                     writeArrNB = Option.map ofCopy writeVecNB,
                     block = NONE,
                     canOutput = NONE,
                     getPos = NONE,
                     setPos = NONE,
                     endPos = NONE,
                     verifyPos = NONE,
                     close = close,
                     ioDesc = ioDesc}
    end

  fun openBin connection =
    let
      val (reader, writer) = binary connection
    in
      (BinIO.mkInstream (BinIO.StreamIO.mkInstream (reader, Word8Vector.fromList [])),
       BinIO.mkOutstream (BinIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF)))
    end
  fun openText connection =
    let
      val (reader, writer) = binary connection
    in
      (TextIO.mkInstream (TextIO.StreamIO.mkInstream (textReader reader, "")),
       TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (textWriter writer, IO.BLOCK_BUF)))
    end

  (* What f has written is sent when it returns. However it ends, the connection is closed first, so that nobody waits
     for it, and then the streams. *)
  fun using ({close, ...} : connection, closeIn, closeOut) (streams as (ins, outs)) f =
    Scope.finally (fn () => let val x = f streams in closeOut outs; x end,
                   fn () => (close (); closeOut outs; closeIn ins))
  fun withBin connection =
    using (connection, BinIO.closeIn, BinIO.closeOut) (openBin connection)
  fun withText connection =
    using (connection, TextIO.closeIn, TextIO.closeOut) (openText connection)
end
