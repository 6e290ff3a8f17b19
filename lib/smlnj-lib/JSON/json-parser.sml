(* JSONParser: text to values. JSONStreamParser: text to calls of functions, value by value. *)

signature JSON_STREAM_PARSER' =
sig
  type source

  val openStream : TextIO.instream -> source
  (* Reads from the stream on, piece by piece; the stream stays the caller's. *)
  val openFile : string -> source
  (* Reads from the file. Raises IO.Io if it cannot be opened. *)
  val openString : string -> source
  (* Reads from the string. *)
  val close : source -> unit
  (* Closes the file, if openFile opened it. *)

  type 'ctx callbacks =
    {null : 'ctx -> 'ctx,
     boolean : 'ctx * bool -> 'ctx,
     integer : 'ctx * IntInf.int -> 'ctx,
     float : 'ctx * real -> 'ctx,
     string : 'ctx * string -> 'ctx,
     startObject : 'ctx -> 'ctx,
     objectKey : 'ctx * string -> 'ctx,
     endObject : 'ctx -> 'ctx,
     startArray : 'ctx -> 'ctx,
     endArray : 'ctx -> 'ctx,
     error : 'ctx * string -> unit}

  val parse : 'ctx callbacks -> source * 'ctx -> 'ctx
  (* One value. A syntax error is told to error; if that returns, Fail is raised. So it is behind an exception of the
     stream, or of one of these functions, within a value: the rest of it is no value. Behind a syntax error the next
     call goes on where the error was, which may be within a value: a source that is not trusted is closed then. *)
  val parseAll : 'ctx callbacks -> source * 'ctx -> 'ctx
  (* Likewise, and only white space may follow: other text is a syntax error. *)
  val parseFile : 'ctx callbacks -> string * 'ctx -> 'ctx
  (* The file's first value; the file is closed behind it, whatever happens. Raises IO.Io too. *)
end

structure JSONStreamParser :> JSON_STREAM_PARSER' where type source = JSONSource'.source =
struct
  open JSONSource'

  type 'ctx callbacks =
    {null : 'ctx -> 'ctx,
     boolean : 'ctx * bool -> 'ctx,
     integer : 'ctx * IntInf.int -> 'ctx,
     float : 'ctx * real -> 'ctx,
     string : 'ctx * string -> 'ctx,
     startObject : 'ctx -> 'ctx,
     objectKey : 'ctx * string -> 'ctx,
     endObject : 'ctx -> 'ctx,
     startArray : 'ctx -> 'ctx,
     endArray : 'ctx -> 'ctx,
     error : 'ctx * string -> unit}

  fun read finish (f : 'ctx callbacks) (s, ctx) =
    let
      (* Where an error finds the last state. *)
      val last = ref ctx
      fun now ctx = (last := ctx; ctx)
      fun value ctx =
        (now
           (case skip s of
              SOME #"{" => (advance s; members (now (#startObject f ctx)))
            | SOME #"[" => (advance s; elements (now (#startArray f ctx)))
            | SOME #"\"" => (advance s; #string f (ctx, JSONSource'.string s))
            | SOME #"t" => #boolean f (ctx, literal (s, "true", true))
            | SOME #"f" => #boolean f (ctx, literal (s, "false", false))
            | SOME #"n" => (literal (s, "null", ()); #null f ctx)
            | SOME c =>
                if c = #"-" orelse Char.isDigit c then
                  (case number s of
                     Whole n => #integer f (ctx, n)
                   | Fraction r => #float f (ctx, r))
                else error (s, SOME c, "invalid character; expected a value")
            | NONE => error (s, NONE, "expected a value")))
      and members ctx =
        (case skip s of
           SOME #"}" => (advance s; #endObject f ctx)
         | _ => member ctx)
      and member ctx =
        (expect (s, #"\"", "invalid object syntax; expected key");
         let
           val ctx = now (#objectKey f (ctx, key s))
           val () = expect (s, #":", "invalid object syntax; expected ':'")
           val ctx = value ctx
         in
           case skip s of
             SOME #"," => (advance s; member ctx)
           | SOME #"}" => (advance s; #endObject f ctx)
           | found => error (s, found, "invalid object syntax; expected ',' or '}'")
         end)
      and elements ctx =
        (case skip s of
           SOME #"]" => (advance s; #endArray f ctx)
         | _ => element ctx)
      and element ctx =
        let
          val ctx = value ctx
        in
          case skip s of
            SOME #"," => (advance s; element ctx)
          | SOME #"]" => (advance s; #endArray f ctx)
          | found => error (s, found, "invalid array syntax; expected ',' or ']'")
        end
    in
      if isOpen s then
        whole (s, fn () => value ctx before finish s)
        handle Error message => (#error f (!last, message); raise Fail message)
      else raise Fail "closed JSON source"
    end
  fun parse f = read ignore f
  fun parseAll f = read atEnd f

  fun parseFile f (name, ctx) =
    let
      val s = openFile name
    in
      (parse f (s, ctx) handle e => (close s; raise e)) before close s
    end
end

structure JSONParser :> sig
  type source = JSONSource'.source

  val openStream : TextIO.instream -> source
  (* Reads from the stream on, piece by piece, so a source may have taken more than it has parsed. `close` leaves the
     stream open. *)
  val openFile : string -> source
  (* Reads from the file. Raises IO.Io if it cannot be opened. *)
  val openString : string -> source
  (* Reads from the string. *)
  val close : source -> unit
  (* Closes the file, if openFile opened it. The source gives nothing any more; a second call does nothing. *)

  val parse : source -> JSON.value
  (* One value; raises Fail for a syntax error or a closed source. What follows is left for the next call. If the stream
     raises an exception within a value, as when a wait is cancelled, the source is over: later calls raise Fail. *)
  val parseAll : source -> JSON.value
  (* Likewise, and only white space may follow: other text is a syntax error. *)
  val parseFile : string -> JSON.value
  (* The file's first value; what follows it is not looked at. The file is closed, whatever happens. Raises Fail for a
     syntax error, IO.Io for the file. *)
end =
struct
  open JSONSource'

  (* left: how many arrays and objects more may stand within each other *)
  fun value (s, left) =
    (case skip s of
       SOME #"{" =>
         (advance s;
          checkDepth (s, left);
          if skip s = SOME #"}" then (advance s; JSON.OBJECT []) else members (s, left - 1, []))
     | SOME #"[" =>
         (advance s;
          checkDepth (s, left);
          if skip s = SOME #"]" then (advance s; JSON.ARRAY []) else elements (s, left - 1, []))
     | SOME #"\"" => (advance s; JSON.STRING (string s))
     | SOME #"t" => literal (s, "true", JSON.BOOL true)
     | SOME #"f" => literal (s, "false", JSON.BOOL false)
     | SOME #"n" => literal (s, "null", JSON.NULL)
     | SOME c =>
         if c = #"-" orelse Char.isDigit c then
           (case number s of Whole n => JSON.INT n | Fraction r => JSON.FLOAT r)
         else error (s, SOME c, "invalid character; expected a value")
     | NONE => error (s, NONE, "expected a value"))

  and members (s, left, acc) =
    (expect (s, #"\"", "invalid object syntax; expected key");
     let
       val key = key s
       val () = expect (s, #":", "invalid object syntax; expected ':'")
       val acc = (key, value (s, left)) :: acc
     in
       case skip s of
         SOME #"," => (advance s; members (s, left, acc))
       | SOME #"}" => (advance s; JSON.OBJECT (rev acc))
       | found => error (s, found, "invalid object syntax; expected ',' or '}'")
     end)

  and elements (s, left, acc) =
    let
      val acc = value (s, left) :: acc
    in
      case skip s of
        SOME #"," => (advance s; elements (s, left, acc))
      | SOME #"]" => (advance s; JSON.ARRAY (rev acc))
      | found => error (s, found, "invalid array syntax; expected ',' or ']'")
    end

  fun read finish s =
    if isOpen s then
      whole (s, fn () => value (s, get (s, most)) before finish s)
      handle Error message => raise Fail message
    else raise Fail "closed JSON source"
  val parse = read ignore
  val parseAll = read atEnd

  fun parseFile name =
    let
      val s = openFile name
    in
      (parse s handle e => (close s; raise e)) before close s
    end
end
