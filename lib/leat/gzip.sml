(* Gzip: data in fewer bytes, and back: gzip (RFC 1952), zlib (RFC 1950) and deflate (RFC 1951), of texts as a whole and of
   streams piece by piece.

   A stream has some memory outside of the heap (compressing 300 KB, decompressing 45 KB), which is freed at its end, or when
   the collector finds that nobody has it. One thread at a time uses a stream. *)

signature GZIP =
sig
  (* GZIP: the format of files and of HTTP's `gzip`. ZLIB: that of HTTP's `deflate`, of PNG and PDF. DEFLATE: either
     without its frame, and without its check sum. *)
  datatype format = GZIP | ZLIB | DEFLATE

  (* What is to be decompressed is not of that format, or damaged, or ends too early: which of them. *)
  exception Corrupt of string
  (* It becomes larger than what is taken. *)
  exception TooLarge

  (* A text in fewer bytes; the level is 0 (fast) to 9 (small), and 6 is usual. Raises Size for another level. *)
  val compress : {format : format, level : int} -> string -> string
  (* The text that was compressed. Raises Corrupt; TooLarge when it has more than so many bytes, before more memory is
     used: a short text can stand for a huge one. Several gzip files, one behind the other, are one. *)
  val decompress : {format : format, most : int} -> string -> string

  (* A function that gives pieces, and the empty string at the end -> one that gives the pieces of the compressed data,
     and the empty string at the end. With `flush` each piece becomes one that can be decompressed without those that
     follow, which costs some bytes. *)
  val compressing :
    {format : format, level : int, flush : bool} -> (unit -> string) -> unit -> string
  (* Likewise back; pieces of 32 KB at most. Raises Corrupt. *)
  val decompressing : format -> (unit -> string) -> unit -> string

  (* Such a function, and one that frees what it has, some hundred kilobytes, before all pieces have been taken: then there
     are no more. Otherwise that is freed at the end, or when the collector finds that nobody has the function. *)
  type pieces = {next : unit -> string, close : unit -> unit}
  (* `compressing`, with a way to end it early. *)
  val compressor : {format : format, level : int, flush : bool} -> (unit -> string) -> pieces
  (* `decompressing`, likewise. Raises Corrupt. *)
  val decompressor : format -> (unit -> string) -> pieces

  (* compresses what is written, and gives it to a function *)
  type writer
  (* Makes one that gives pieces of the compressed data to this function. *)
  val writer : {format : format, level : int} -> (string -> unit) -> writer
  (* Compresses some more; raises Corrupt behind `finish`. *)
  val write : writer * string -> unit
  (* Gives all that was written to the function, so that it can be decompressed. *)
  val flush : writer -> unit
  (* Ends the data. *)
  val finish : writer -> unit
end

structure Gzip :> GZIP =
struct
  datatype format = GZIP | ZLIB | DEFLATE

  exception Corrupt of string
  exception TooLarge

  open PrimCompression'

  (* -- streams of the runtime *)

  type stream = int MLton.Finalizable.t

  fun new (format, level) : stream =
    let
      val number = case format of GZIP => 0 | ZLIB => 1 | DEFLATE => 2
      val stream = MLton.Finalizable.new (zip_new (number, level))
    in
      MLton.Finalizable.addFinalizer (stream, zip_free);
      stream
    end

  datatype order = MORE | FLUSH | FINISH
  datatype status = GOES_ON | ENDED | BROKEN

  (* Some of the text from a place on: how much of it, what came of it, and how it stands. *)
  fun step (stream : stream, text, start, order) =
    MLton.Finalizable.withValue (stream,
                                 fn s =>
                                   let
                                     val piece =
                                       zip_step (s,
                                                 text,
                                                 start,
                                                 case order of
                                                   MORE => 0
                                                 | FLUSH => 1
                                                 | FINISH => 2)
                                     val status =
                                       case zip_told (s, 1) of
                                         0 => GOES_ON
                                       | 1 => ENDED
                                       | _ => BROKEN
                                   in
                                     (zip_told (s, 0), piece, status)
                                   end)

  fun close (stream : stream) = MLton.Finalizable.withValue (stream, zip_close)

  fun checked (format, level) =
    if level < 0 orelse level > 9 then raise Size else new (format, level)

  (* -- compressing *)

  (* All of a text; what comes of it goes to the function. *)
  fun put (stream, text, give) =
    let
      fun go at =
        if at = size text then ()
        else
          case step (stream, text, at, MORE) of
            (_, _, BROKEN) => raise Corrupt "it has ended"
          | (used, piece, _) => (if piece = "" then () else give piece; go (at + used))
    in
      go 0
    end

  fun order (stream, what, give) =
    case step (stream, "", 0, what) of
      (_, _, BROKEN) => raise Corrupt "it has ended"
    | (_, piece, _) => if piece = "" then () else give piece

  type writer = {stream : stream, give : string -> unit}
  fun writer {format, level} give = {stream = checked (format, level), give = give} : writer
  fun write ({stream, give}, text) = put (stream, text, give)
  fun flush ({stream, give} : writer) = order (stream, FLUSH, give)
  fun finish ({stream, give} : writer) =
    (order (stream, FINISH, give);
     close stream)

  fun compress settings text =
    let
      val pieces = ref []
      val w = writer settings (fn piece => pieces := piece :: !pieces)
    in
      write (w, text);
      finish w;
      concat (rev (!pieces))
    end

  type pieces = {next : unit -> string, close : unit -> unit}

  fun compressor {format, level, flush} next =
    let
      val stream = checked (format, level)
      val pieces = ref []
      val isOver = ref false
      fun give piece = pieces := piece :: !pieces
      fun go () =
        case !pieces of
          [] =>
            if !isOver then ""
            else
              ((case next () of
                  "" => (isOver := true; order (stream, FINISH, give); close stream)
                | text =>
                    (put (stream, text, give); if flush then order (stream, FLUSH, give) else ()));
               go ())
        | [piece] => (pieces := []; piece)
        | all => (pieces := []; concat (rev all))
    in
      {next = go, close = fn () => (isOver := true; pieces := []; close stream)}
    end
  fun compressing settings next = #next (compressor settings next)

  (* -- decompressing *)

  fun decompressor format next =
    let
      val stream = new (format, ~1)
      (* what was read and not used yet *)
      val text = ref ""
      val at = ref 0
      (* the first two bytes, by which gzip is known: its frame is looked at when all ten bytes of it are there *)
      val first = ref ""
      (* of ZLIB and DEFLATE: what may still come is wrong *)
      val hasEnded = ref false
      val isOver = ref false
      fun corrupt why = (isOver := true; close stream; raise Corrupt why)
      fun ended () = (isOver := true; close stream)

      (* What is still inside when everything was read. *)
      fun endsEarly () =
        corrupt
          (if format = GZIP andalso not (String.isPrefix (!first) "\031\139") then
             "the data is of another format"
           else "the data ends too early")
      fun last () =
        case step (stream, "", 0, if format = GZIP then FINISH else MORE) of
          (_, piece, ENDED) => (ended (); piece)
        | (_, _, BROKEN) => endsEarly ()
        | (_, "", GOES_ON) => endsEarly ()
        | (_, piece, GOES_ON) => piece

      fun go () =
        if !isOver then ""
        else if !hasEnded then
          if !at < size (!text) orelse next () <> "" then
            corrupt "something stands behind the end"
          else (ended (); "")
        else if !at < size (!text) then
          case step (stream, !text, !at, MORE) of
            (_, _, BROKEN) => corrupt "the data is damaged, or of another format"
          | (used, piece, status) =>
              (at := !at + used;
               case status of
                 (* The piece is given first: for what comes behind it, the source may wait, or raise. *)
                 ENDED => (hasEnded := true; close stream; if piece = "" then go () else piece)
               | _ =>
                   if piece <> "" then piece
                   else if used = 0 then corrupt "the data is damaged"
                   else go ())
        else
          case next () of
            "" => last ()
          | more =>
              (if size (!first) < 2 then
                 first :=
                   !first ^ String.substring (more, 0, Int.min (2 - size (!first), size more))
               else ();
               text := more;
               at := 0;
               go ())
    in
      {next = go, close = ended}
    end
  fun decompressing format next = #next (decompressor format next)

  fun decompress {format, most} text =
    let
      val given = ref false
      val {next, close} =
        decompressor format (fn () => if !given then "" else (given := true; text))
      fun go (left, pieces) =
        case next () of
          "" => concat (rev pieces)
        | piece =>
            if size piece > left then (close (); raise TooLarge)
            else go (left - size piece, piece :: pieces)
    in
      go (most, [])
    end
end
