(* SqliteBlobs': blobs that are read and written piece by piece, as readers and writers of the Basis Library. *)

structure SqliteBlobs' =
struct
  open SqliteC'
  open SqliteConnection'

  val chunk = 32768

  (* A call of C: opening takes a lock, so does writing what is more than fits in the memory of SQLite. *)
  fun checked db call = interruptible db (fn _ => check db (call ()), fn () => ())

  (* An open blob: its address, until it is closed; its length; how far it was read or written; memory of C for a
     piece. *)
  fun openBlob (db as DB {mode, blobs, ...}) ({table, column, row}, write) =
    let
      val () = checkTransaction db
      val at = ref P.null
      fun name text =
        if Char.contains text #"\000" then
          refuse (misuse, "a zero byte in a name: " ^ String.toString text)
        else text ^ "\000"
      val (table, column) = (name table, name column)
      val call = case mode of DIRECT => blobOpen | POOLED => blobOpenPooled
      val piece = memory (words chunk)
      val () =
        checked db (fn () =>
          patiently db (fn () =>
            call (address db, "main\000", table, column, row, if write then 1 else 0, at)))
        handle e => (free piece; raise e)
      val length = blobSize (!at)
    in
      blobs := (at, piece) :: !blobs;
      touch db;
      {db = db, at = at, length = length, pos = ref 0, piece = piece}
    end

  fun blob' {db as DB {mode, blobs, ...}, at, length, pos, piece} =
    let
      fun opened () =
        if !at = P.null then refuse (misuse, "the blob is closed") else (ignore (address db); !at)
      (* What was written is committed here, which may fail. *)
      fun closeBlob () =
        if !at = P.null then ()
        else
          let
            val c = !at
            val () = at := P.null
            val () = blobs := List.filter (fn (other, _) => other <> at) (!blobs)
            val () = free piece
            val call = case mode of DIRECT => blobClose | POOLED => blobClosePooled
            fun ends _ =
              let
                val code = onceOnly db (fn () => call c)
              in
                if code = ok then () else refuse (code, cText (codeText code))
              end
          in
            keeping db (ends, fn () => ())
          end
      fun seek p = (ignore (opened ()); pos := Int.min (Int.max (0, Position.toInt p), length))
    in
      {opened = opened,
       close = closeBlob,
       getPos = SOME (fn () => (ignore (opened ()); Position.fromInt (!pos))),
       setPos = SOME seek,
       endPos = SOME (fn () => (ignore (opened ()); Position.fromInt length))}
    end

  fun readBlob db place =
    let
      val blob as {db, length, pos, piece, ...} = openBlob db (place, false)
      val {opened, close, getPos, setPos, endPos} = blob' blob
      val call =
        case db of DB {mode = DIRECT, ...} => blobRead | DB {mode = POOLED, ...} => blobReadPooled
      (* Brings the next bytes into the memory for a piece: how many. *)
      fun next most =
        let
          val c = opened ()
          val count = Int.min (Int.min (most, chunk), length - !pos)
        in
          if count > 0 then checked db (fn () => call (c, piece, count, !pos)) else ();
          pos := !pos + count;
          count
        end
      fun taken count = bytes (piece, count) before touch db
      fun readArr slice =
        let
          val (array, from, most) = Word8ArraySlice.base slice
          val count = next most
        in
          Word8ArraySlice.copyVec
            {src = Word8VectorSlice.full (taken count), dst = array, di = from};
          count
        end
    in
      BinPrimIO.RD {name = #table place,
                    chunkSize = chunk,
                    readVec = SOME (taken o next),
                    readArr = SOME readArr,
                    readVecNB = NONE,
                    readArrNB = NONE,
                    block = NONE,
                    canInput = NONE,
                    avail = fn () => SOME (length - !pos),
                    getPos = getPos,
                    setPos = setPos,
                    endPos = endPos,
                    verifyPos = getPos,
                    close = close,
                    ioDesc = NONE}
    end

  fun writeBlob db place =
    let
      val blob as {db, length, pos, piece, ...} = openBlob db (place, true)
      val {opened, close, getPos, setPos, endPos} = blob' blob
      val call =
        case db of DB {mode = DIRECT, ...} => blobWrite | DB {mode = POOLED, ...} => blobWritePooled
      fun write bytes =
        let
          val c = opened ()
          val count = Int.min (Word8Vector.length bytes, length - !pos)
        in
          if count = 0 andalso Word8Vector.length bytes > 0 then
            refuse (tooBig, "the blob has " ^ Int.toString length ^ " bytes, and no more")
          else ();
          ignore (ofVector (piece, bytes, Word64.fromInt count));
          checked db (fn () => call (c, piece, count, !pos));
          pos := !pos + count;
          count
        end
      fun first (slice, length, sub) = sub (slice, 0, SOME (Int.min (length slice, chunk)))
    in
      BinPrimIO.WR {name = #table place,
                    chunkSize = chunk,
                    writeVec =
                      SOME (fn slice =>
                        write (Word8VectorSlice.vector (first (slice,
                                                               Word8VectorSlice.length,
                                                               Word8VectorSlice.subslice)))),
                    writeArr =
                      SOME (fn slice =>
                        write (Word8ArraySlice.vector (first (slice,
                                                              Word8ArraySlice.length,
                                                              Word8ArraySlice.subslice)))),
                    writeVecNB = NONE,
                    writeArrNB = NONE,
                    block = NONE,
                    canOutput = NONE,
                    getPos = getPos,
                    setPos = setPos,
                    endPos = endPos,
                    verifyPos = getPos,
                    close = close,
                    ioDesc = NONE}
    end
end
