(* JSONStreamOutputFn, JSONStreamPrinter, JSONBufferPrinter: values printed piece by piece; JSONPrinter: whole ones.
   Text is UTF-8, and what is beyond ASCII stands as it is; quotes, backslashes and control characters are escaped. *)

(* Every function that prints a value raises Fail where an object's key is expected. *)
signature JSON_STREAM_OUTPUT =
sig
  type outstream
  type printer

  val null : printer -> unit
  (* Prints null. Raises Fail when the printer is closed. *)
  val boolean : printer * bool -> unit
  (* Prints true or false. Raises Fail when the printer is closed. *)
  val int : printer * int -> unit
  (* Prints the number. Raises Fail when the printer is closed. *)
  val integer : printer * IntInf.int -> unit
  (* Prints the number, whatever its size. Raises Fail when the printer is closed. *)
  val float : printer * real -> unit
  (* Prints the number with up to 17 digits. Raises Fail for infinities and nan, which JSON has not, and when the
     printer is closed. *)
  val string : printer * string -> unit
  (* Prints the text in quotes, with escapes. Raises Fail for a text that is not UTF-8, and when the printer is
     closed. *)
  val beginObject : printer -> unit
  (* Opens an object; objectKey and a value follow in turn, then endObject. Raises Fail when the printer is closed. *)
  val objectKey : printer * string -> unit
  (* Prints a key; its value comes next. Raises Fail where no object is open, or the innermost thing is an array, and
     where the last key waits for its value. *)
  val endObject : printer -> unit
  (* Ends the object. Raises Fail if the innermost thing that is open is not an object, or if a key waits for its
     value. *)
  val beginArray : printer -> unit
  (* Opens an array; its values follow, then endArray. Raises Fail when the printer is closed. *)
  val endArray : printer -> unit
  (* Ends the array. Raises Fail if the innermost thing that is open is not an array. *)
  val value : printer * JSON.value -> unit
  (* Prints a whole value. Raises Fail as its parts would; what comes before such a part is printed already. *)

  val new : outstream -> printer
  (* A printer that puts everything on one line, without spaces. *)
  val new' : {strm : outstream, pretty : bool} -> printer
  (* pretty: with new lines and indentation, otherwise as `new`. *)
  val close : printer -> unit
  (* Ends the line; raises Fail within an object or array. The stream stays open. *)
end

signature TEXT_OUTPUT_STREAM =
sig
  type outstream
  val output1 : outstream * char -> unit
  (* Puts one character behind what was put out before. *)
  val output : outstream * string -> unit
  (* Puts a string there. *)
  val outputSlice : outstream * substring -> unit
  (* Puts a part of a string there. *)
end

functor JSONStreamOutputFn (Out : TEXT_OUTPUT_STREAM) : JSON_STREAM_OUTPUT
  where type outstream = Out.outstream =
struct
  type outstream = Out.outstream

  datatype place =
      Top
    | Closed
    | Object of bool
    | Key
    | Array of bool
  (* Within an object or array: whether nothing has been printed in it. Key: behind one. *)

  (* The places that the printer is in, the innermost first, and how many of them are objects and arrays. *)
  datatype printer = P of {out : outstream, pretty : bool, places : place list ref, depth : int ref}

  fun new' {strm, pretty} = P {out = strm, pretty = pretty, places = ref [Top], depth = ref 0}
  fun new strm = new' {strm = strm, pretty = false}

  fun put (P {out, ...}, s) = Out.output (out, s)

  fun indent (P {pretty, out, ...}, n) =
    if pretty then Out.output (out, CharVector.tabulate (n, fn _ => #" ")) else ()
  fun newLine (P {pretty, out, ...}) = if pretty then Out.output1 (out, #"\n") else ()

  (* What stands before a value or a key. *)
  fun separate (isKey, p as P {pretty, places, depth, ...}) =
    let
      fun item (first, rest, place) =
        (if first then () else (put (p, ","); newLine p);
         indent (p, 4 * !depth);
         places := place :: rest)
    in
      case !places of
        Closed :: _ => raise Fail "closed printer"
      | Object first :: rest =>
          if isKey then item (first, rest, Object false)
          else raise Fail "a value where an object's key was expected"
      | Array first :: rest => item (first, rest, Array false)
      | Key :: rest => (put (p, if pretty then " : " else ":"); places := rest)
      | _ => ()
    end

  fun simple (p, s) = (separate (false, p); put (p, s))
  fun null p = simple (p, "null")
  fun boolean (p, b) = simple (p, Bool.toString b)
  fun minus s =
    if CharVector.exists (fn c => c = #"~") s then CharVector.map (fn #"~" => #"-" | c => c) s
    else s
  fun integer (p, n) = simple (p, minus (IntInf.toString n))
  fun int (p, n) = integer (p, Int.toLarge n)
  fun float (p, r) =
    if Real.isFinite r then simple (p, minus (Real.fmt (StringCvt.GEN (SOME 17)) r))
    else raise Fail ("JSON has no number for " ^ Real.toString r)

  fun unit16 w = "\\u" ^ StringCvt.padLeft #"0" 4 (CharVector.map Char.toLower (Word.toString w))
  fun isPlain c = c >= #" " andalso c < #"\127" andalso c <> #"\"" andalso c <> #"\\"
  (* A character of ASCII. *)
  fun escape c =
    case c of
      #"\"" => "\\\""
    | #"\\" => "\\\\"
    | #"\b" => "\\b"
    | #"\t" => "\\t"
    | #"\n" => "\\n"
    | #"\f" => "\\f"
    | #"\r" => "\\r"
    | _ => if isPlain c then str c else unit16 (UTF8.fromAscii c)
  (* Any character. *)
  fun show w =
    if w < 0wx80 then escape (UTF8.toAscii w)
    else if 0wxD800 <= w andalso w < 0wxE000 then unit16 w
    else UTF8.encode w
  fun utf8 s =
    concat (List.map show (UTF8.explode s))
    handle UTF8.Invalid => raise Fail "JSON has no text that is not UTF-8"
         | UTF8.Incomplete => raise Fail "JSON has no text that is not UTF-8"

  (* A text of ASCII, with escapes where it needs them. *)
  fun ascii (out, s) =
    let
      (* the characters from `from` to i stay as they are *)
      fun upto (from, i) =
        if from = i then () else Out.outputSlice (out, Substring.substring (s, from, i - from))
      fun go (from, i) =
        if i = size s then upto (from, i)
        else
          let
            val c = String.sub (s, i)
          in
            if isPlain c then go (from, i + 1)
            else (upto (from, i); Out.output (out, escape c); go (i + 1, i + 1))
          end
    in
      go (0, 0)
    end

  (* Raises Fail before it prints anything. *)
  fun quoted (p as P {out, ...}, isKey, s) =
    let
      val putText =
        if CharVector.all isPlain s then Out.output
        else if CharVector.all Char.isAscii s then ascii
        else let val text = utf8 s in fn (out, _) => Out.output (out, text) end
    in
      separate (isKey, p);
      Out.output1 (out, #"\"");
      putText (out, s);
      Out.output1 (out, #"\"")
    end
  fun string (p, s) = quoted (p, false, s)

  fun openWith (p as P {places, depth, ...}, bracket, place) =
    (separate (false, p);
     put (p, bracket);
     newLine p;
     places := place :: !places;
     depth := !depth + 1)
  fun beginObject p = openWith (p, "{", Object true)
  fun beginArray p = openWith (p, "[", Array true)

  fun objectKey (p as P {places, ...}, key) =
    case !places of
      Object _ :: _ => (quoted (p, true, key); places := Key :: !places)
    | Key :: _ => raise Fail (concat ["objectKey \"", key, "\" where a value was expected"])
    | _ => raise Fail (concat ["objectKey \"", key, "\" not in an object"])

  fun shut (p as P {places, depth, ...}, bracket, empty, outer) =
    (if empty then () else newLine p;
     indent (p, 4 * !depth - 2);
     put (p, bracket);
     places := outer;
     depth := !depth - 1)
  fun endObject (p as P {places, ...}) =
    case !places of
      Object empty :: outer => shut (p, "}", empty, outer)
    | Key :: _ => raise Fail "endObject where a value was expected"
    | _ => raise Fail "endObject not in an object"
  fun endArray (p as P {places, ...}) =
    case !places of
      Array empty :: outer => shut (p, "]", empty, outer)
    | _ => raise Fail "endArray not in an array"

  fun value (p, v) =
    case v of
      JSON.NULL => null p
    | JSON.BOOL b => boolean (p, b)
    | JSON.INT n => integer (p, n)
    | JSON.FLOAT r => float (p, r)
    | JSON.STRING s => string (p, s)
    | JSON.ARRAY l => (beginArray p; List.app (fn v => value (p, v)) l; endArray p)
    | JSON.OBJECT l =>
        (beginObject p; List.app (fn (key, v) => (objectKey (p, key); value (p, v))) l; endObject p)

  fun close (p as P {places, ...}) =
    case !places of
      [Top] => (put (p, "\n"); places := [Closed])
    | [Closed] => ()
    | _ => raise Fail "premature close"
end

structure JSONStreamPrinter : JSON_STREAM_OUTPUT where type outstream = TextIO.outstream =
  JSONStreamOutputFn (struct
    type outstream = TextIO.outstream
    val output1 = TextIO.output1
    val output = TextIO.output
    val outputSlice = TextIO.outputSubstr
  end)

structure JSONBufferPrinter : JSON_STREAM_OUTPUT where type outstream = CharBuffer.buf =
  JSONStreamOutputFn (struct
    type outstream = CharBuffer.buf
    val output1 = CharBuffer.add1
    val output = CharBuffer.addVec
    val outputSlice = CharBuffer.addSlice
  end)

structure JSONPrinter : sig
  val print : TextIO.outstream * JSON.value -> unit
  (* On one line, and its end. Raises Fail, and prints nothing, when JSON cannot say it: infinities and nan, and texts that
     are not UTF-8. *)
  val print' : {strm : TextIO.outstream, pretty : bool} -> JSON.value -> unit
  (* As `print`; if pretty, on several lines, with indentation. *)
  val sizeOfValue : JSON.value -> int
  (* How many characters it takes on one line. *)
end =
struct
  structure S = JSONStreamPrinter

  (* Counts what is put out. *)
  structure Count =
    JSONStreamOutputFn (struct
      type outstream = int ref
      fun output1 (n, _) = n := !n + 1
      fun output (n, s) = n := !n + size s
      fun outputSlice (n, s) = n := !n + Substring.size s
    end)
  fun sizeOfValue v = let val n = ref 0 in Count.value (Count.new n, v); !n end

  (* Raises what printing would raise. *)
  fun check v =
    case v of
      JSON.FLOAT r => if Real.isFinite r then () else ignore (sizeOfValue v)
    | JSON.STRING s => if CharVector.all Char.isAscii s then () else ignore (sizeOfValue v)
    | JSON.ARRAY l => List.app check l
    | JSON.OBJECT l => List.app (fn (key, v) => (check (JSON.STRING key); check v)) l
    | _ => ()
  fun print' config v = let val p = S.new' config in check v; S.value (p, v); S.close p end
  fun print (strm, v) = print' {strm = strm, pretty = false} v
end
