(* JSONCodec: typed values as JSON and back, by descriptions that are put together from small ones.

     type item = {name : string, price : int, note : string option}

     infix 4 **
     val op ** = JSONCodec.**
     val item =
       JSONCodec.object
         (JSONCodec.make (fn name => fn price => fn note => {name = name, price = price, note = note})
          ** JSONCodec.field ("name", JSONCodec.string, #name)
          ** JSONCodec.field ("price", JSONCodec.int, #price)
          ** JSONCodec.optional ("note", JSONCodec.string, #note))

     JSONCodec.fromString (JSONCodec.list item) text : item list

   What is wrong with a value is told with its place: `$[3].name: expected a string, found 12`. *)

signature JSON_CODEC =
sig
  type 'a codec

  (* What is wrong, and where: `$` is the whole value, `.name` a field, `[3]` an element, from 0. A text that is no JSON
     is wrong as a whole. *)
  exception Wrong of {path : string, message : string}
  (* Path and message of Wrong, with a colon between them; other exceptions as General.exnMessage has them. *)
  val message : exn -> string

  (* The value of a text; raises Wrong. The text is JSON as RFC 8259 has it, so without comments, which JSONParser takes. *)
  val fromString : 'a codec -> string -> 'a
  (* The text of a value, on one line, without blanks. Raises Domain for reals that JSON has not. Bytes of a string that
     are no UTF-8 become U+FFFD. *)
  val toString : 'a codec -> 'a -> string
  (* The value of a tree; raises Wrong. *)
  val fromJSON : 'a codec -> JSON.value -> 'a
  (* The tree of a value. *)
  val toJSON : 'a codec -> 'a -> JSON.value

  (* true and false *)
  val bool : bool codec
  (* Numbers without a fraction that fit into an int. *)
  val int : int codec
  (* Numbers without a fraction. *)
  val intInf : IntInf.int codec
  (* All numbers. *)
  val real : real codec
  (* Texts in UTF-8. *)
  val string : string codec
  (* null *)
  val unit : unit codec
  (* Any JSON, as a tree. *)
  val json : JSON.value codec

  (* An array. *)
  val list : 'a codec -> 'a list codec
  (* An array, as a vector. *)
  val vector : 'a codec -> 'a vector codec
  (* An array of two. *)
  val pair : 'a codec * 'b codec -> ('a * 'b) codec
  (* null is NONE. *)
  val nullable : 'a codec -> 'a option codec
  (* An object whose fields are all of one type, with their names. *)
  val dictionary : 'a codec -> (string * 'a) list codec
  (* One of these texts, each of which stands for a value. Writing another value raises Match. *)
  val enum : (string * ''a) list -> ''a codec
  (* Another type, by functions there and back. If the first one raises Fail, the value is wrong for that reason. *)
  val map : ('a -> 'b) * ('b -> 'a) -> 'a codec -> 'b codec
  (* A string that stands for a value of another type, as `{kind = "a UUID", read = Uuid.fromString, show =
     Uuid.toString}`: what it is called when another one comes, and how it is read and written. *)
  val text : {kind : string, read : string -> 'a option, show : 'a -> string} -> 'a codec
  (* A description that needs itself: for lists and trees. *)
  val fix : ('a codec -> 'a codec) -> 'a codec

  (* Fields of an object: 'r is the record's type, 'a what they make. *)
  type ('r, 'a) fields
  (* No fields yet: the function that makes the record of them, one after the other. *)
  val make : 'a -> ('r, 'a) fields
  (* One more field; to be declared as `infix 4 **`. *)
  val ** : ('r, 'a -> 'b) fields * ('r, 'a) fields -> ('r, 'b) fields
  (* A field that must be there: its name, its type, how it is taken from the record. *)
  val field : string * 'a codec * ('r -> 'a) -> ('r, 'a) fields
  (* A field that may be missing, or null. NONE is not written. *)
  val optional : string * 'a codec * ('r -> 'a option) -> ('r, 'a option) fields
  (* A field that may be missing: then it has this value. *)
  val default : string * 'a codec * 'a * ('r -> 'a) -> ('r, 'a) fields
  (* An object with these fields; others are passed over. *)
  val object : ('r, 'r) fields -> 'r codec
  (* An object with these fields, and no others. *)
  val exactly : ('r, 'r) fields -> 'r codec

  type 'a variant
  (* One of several forms of a type: its name, its object, how it is made a value of the type, and taken from one. *)
  val variant : string * 'b codec * ('b -> 'a) * ('a -> 'b option) -> 'a variant
  (* An object whose form is named by a field: `tagged "type" [..]` reads `{"type":"circle","radius":1}`. Writing a
     value of no form raises Match. *)
  val tagged : string -> 'a variant list -> 'a codec
end

structure JSONCodec :> JSON_CODEC =
struct
  exception Wrong of {path : string, message : string}

  (* The way from the whole value, the last step first. *)
  datatype step = FIELD of string | ELEMENT of int
  type path = step list
  type 'a codec = {read : path * JSON.value -> 'a, write : 'a -> JSON.value}

  fun shownStep (ELEMENT i) = concat ["[", Int.toString i, "]"]
    | shownStep (FIELD name) =
        if name <> "" andalso CharVector.all (fn c => Char.isAlphaNum c orelse c = #"_") name then
          "." ^ name
        else concat ["[\"", String.toString name, "\"]"]
  (* Values come from others: what is said of one is not as long as it may be. *)
  val mostSteps = 100
  fun shownPath path =
    let
      val steps = rev path
      val n = List.length steps
      val half = mostSteps div 2
      fun shown steps = concat (List.map shownStep steps)
    in
      if n <= mostSteps then "$" ^ shown steps
      else concat ["$", shown (List.take (steps, half)), "..", shown (List.drop (steps, n - half))]
    end
  fun wrong (path, message) = raise Wrong {path = shownPath path, message = message}

  fun message (Wrong {path, message}) = concat [path, ": ", message]
    | message e = General.exnMessage e
  val () =
    MLton.Exn.addExnMessager (fn e as Wrong _ => SOME ("JSONCodec.Wrong: " ^ message e) | _ => NONE)

  fun signed text = String.map (fn #"~" => #"-" | c => c) text
  fun counted (n, what) = concat [Int.toString n, " ", what, if n = 1 then "" else "s"]

  (* The first 40 digits of a long one. *)
  fun shownInt n =
    let
      val text = signed (IntInf.toString n)
    in
      if size text > 40 then String.substring (text, 0, 40) ^ ".." else text
    end

  fun found value =
    case value of
      JSON.NULL => "null"
    | JSON.BOOL b => Bool.toString b
    | JSON.INT n => shownInt n
    | JSON.FLOAT x =>
        if Real.isFinite x then RealText'.toString x else signed (Real.toString x)
    | JSON.STRING s =>
        if size s > 40 then concat ["\"", String.toString (String.substring (s, 0, 40)), "\".."]
        else concat ["\"", String.toString s, "\""]
    | JSON.ARRAY l => "an array of " ^ counted (List.length l, "element")
    | JSON.OBJECT l => "an object of " ^ counted (List.length l, "field")
  fun expected (path, what, value) =
    wrong (path, concat ["expected ", what, ", found ", found value])

  (* -- texts *)

  val quoted = JSONText'.escaped

  fun number x = if Real.isFinite x then RealText'.toString x else raise Domain

  (* Writes a value's text. *)
  fun put buffer =
    let
      fun text s = CharBuffer.addVec (buffer, s)
      fun char c = CharBuffer.add1 (buffer, c)
      fun quote s = (char #"\""; text (quoted s); char #"\"")
      (* Each behind a comma. *)
      fun more f = List.app (fn x => (char #","; f x))
      fun value v =
        case v of
          JSON.NULL => text "null"
        | JSON.BOOL b => text (Bool.toString b)
        | JSON.INT n => text (signed (IntInf.toString n))
        | JSON.FLOAT x => text (number x)
        | JSON.STRING s => quote s
        | JSON.ARRAY [] => text "[]"
        | JSON.ARRAY (first :: rest) => (char #"["; value first; more value rest; char #"]")
        | JSON.OBJECT [] => text "{}"
        | JSON.OBJECT (first :: rest) => (char #"{"; member first; more member rest; char #"}")
      and member (name, v) = (quote name; char #":"; value v)
    in
      value
    end

  fun fromJSON ({read, ...} : 'a codec) value = read ([], value)
  fun toJSON ({write, ...} : 'a codec) x = write x
  fun toString codec x =
    let
      val buffer = CharBuffer.new 256
    in
      put buffer (toJSON codec x);
      CharBuffer.contents buffer
    end
  fun fromString codec text =
    let
      val source = JSONSource'.withoutComments (JSONParser.openString text)
      val value = JSONParser.parseAll source handle Fail why => wrong ([], "no JSON: " ^ why)
    in
      fromJSON codec value
    end

  (* -- simple values *)

  (* true and false *)
  val bool : bool codec =
    {read = fn (_, JSON.BOOL b) => b | (path, v) => expected (path, "true or false", v),
     write = JSON.BOOL}

  val intInf : IntInf.int codec =
    {read = fn (_, JSON.INT n) => n | (path, v) => expected (path, "an integer", v),
     write = JSON.INT}

  val int : int codec =
    {read =
       fn (path, JSON.INT n) =>
            (IntInf.toInt n
             handle Overflow =>
                 wrong (path, shownInt n ^ " is too large for an integer"))
        | (path, v) => expected (path, "an integer", v),
     write = JSON.INT o IntInf.fromInt}

  (* What a text of JSON cannot write again: 1e999 is read as the infinite one. *)
  fun finite (path, x) =
    if Real.isFinite x then x else wrong (path, "a number that is too large for a real")

  val real : real codec =
    {read =
       fn (path, JSON.FLOAT x) => finite (path, x)
        | (path, JSON.INT n) => finite (path, Real.fromLargeInt n)
        | (path, v) => expected (path, "a number", v),
     write = JSON.FLOAT}

  val string : string codec =
    {read = fn (_, JSON.STRING s) => s | (path, v) => expected (path, "a string", v),
     write = JSON.STRING}

  val unit : unit codec =
    {read = fn (_, JSON.NULL) => () | (path, v) => expected (path, "null", v),
     write = fn () => JSON.NULL}

  val json : JSON.value codec =
    let
      fun check (path, v) =
        case v of
          JSON.FLOAT x => ignore (finite (path, x))
        | JSON.ARRAY l =>
            ignore (List.foldl (fn (v, i) => (check (ELEMENT i :: path, v); i + 1)) 0 l)
        | JSON.OBJECT l => List.app (fn (name, v) => check (FIELD name :: path, v)) l
        | _ => ()
    in
      {read = fn (path, v) => (check (path, v); v), write = fn v => v}
    end

  (* -- several values *)

  fun elements (read, path, values) =
    let
      fun go (_, [], done) = rev done
        | go (i, v :: rest, done) = go (i + 1, rest, read (ELEMENT i :: path, v) :: done)
    in
      go (0, values, [])
    end

  fun list ({read, write} : 'a codec) : 'a list codec =
    {read =
       fn (path, JSON.ARRAY values) => elements (read, path, values)
        | (path, v) => expected (path, "an array", v),
     write = fn l => JSON.ARRAY (List.map write l)}

  fun map (there, back) ({read, write} : 'a codec) : 'b codec =
    {read = fn (path, v) =>
       let val x = read (path, v) in there x handle Fail why => wrong (path, why) end,
     write = write o back}

  fun text {kind, read, show} : 'a codec =
    {read =
       fn (path, value as JSON.STRING s) =>
            (case read s of SOME x => x | NONE => expected (path, kind, value))
        | (path, value) => expected (path, kind, value),
     write = JSON.STRING o show}

  fun vector codec = map (Vector.fromList, Vector.foldr (op ::) []) (list codec)

  fun pair (a : 'a codec, b : 'b codec) : ('a * 'b) codec =
    {read =
       fn (path, JSON.ARRAY [x, y]) =>
            (#read a (ELEMENT 0 :: path, x), #read b (ELEMENT 1 :: path, y))
        | (path, v) => expected (path, "an array of 2 elements", v),
     write = fn (x, y) => JSON.ARRAY [#write a x, #write b y]}

  fun nullable ({read, write} : 'a codec) : 'a option codec =
    {read = fn (_, JSON.NULL) => NONE | x => SOME (read x),
     write = fn SOME x => write x | NONE => JSON.NULL}

  fun dictionary ({read, write} : 'a codec) : (string * 'a) list codec =
    {read =
       fn (path, JSON.OBJECT fields) =>
            List.map (fn (name, v) => (name, read (FIELD name :: path, v))) fields
        | (path, v) => expected (path, "an object", v),
     write = fn fields => JSON.OBJECT (List.map (fn (name, x) => (name, write x)) fields)}

  fun choice [] = "nothing"
    | choice [one] = one
    | choice [one, other] = concat [one, " or ", other]
    | choice (one :: rest) = concat [one, ", ", choice rest]

  fun enum values : ''a codec =
    {read =
       fn (path, value) =>
         case value of
           JSON.STRING s =>
             (case List.find (fn (text, _) => text = s) values of
                SOME (_, x) => x
              | NONE => expected (path, choice (List.map (found o JSON.STRING o #1) values), value))
         | _ => expected (path, choice (List.map (found o JSON.STRING o #1) values), value),
     write =
       fn x =>
         case List.find (fn (_, y) => x = y) values of
           SOME (text, _) => JSON.STRING text
         | NONE => raise Match}

  fun fix f : 'a codec =
    let
      fun codec () = f {read = fn x => #read (codec ()) x, write = fn x => #write (codec ()) x}
      val whole = codec ()
    in
      whole
    end

  (* -- objects *)

  type object = (string * JSON.value) list
  (* put : a value, and the members of the fields before, the last one first -> those with this field's *)
  type ('r, 'a) fields =
    {names : string list, get : path * object -> 'a, put : 'r * object -> object}

  fun make f : ('r, 'a) fields = {names = [], get = fn _ => f, put = #2}

  fun ** (f : ('r, 'a -> 'b) fields, x : ('r, 'a) fields) : ('r, 'b) fields =
    {names = #names f @ #names x,
     get = fn object => let val g = #get f object in g (#get x object) end,
     put = fn (r, done) => #put x (r, #put f (r, done))}

  fun look (name, fields : object) =
    case fields of
      [] => NONE
    | (n, v) :: rest => if n = name then SOME v else look (name, rest)

  fun field (name, {read, write} : 'a codec, from) : ('r, 'a) fields =
    {names = [name],
     get =
       fn (path, fields) =>
         case look (name, fields) of
           SOME v => read (FIELD name :: path, v)
         | NONE => wrong (FIELD name :: path, "is missing"),
     put = fn (r, done) => (name, write (from r)) :: done}

  fun optional (name, {read, write} : 'a codec, from) : ('r, 'a option) fields =
    {names = [name],
     get =
       fn (path, fields) =>
         case look (name, fields) of
           SOME JSON.NULL => NONE
         | SOME v => SOME (read (FIELD name :: path, v))
         | NONE => NONE,
     put = fn (r, done) => case from r of SOME x => (name, write x) :: done | NONE => done}

  fun default (name, {read, write} : 'a codec, usual, from) : ('r, 'a) fields =
    {names = [name],
     get =
       fn (path, fields) =>
         case look (name, fields) of
           SOME v => read (FIELD name :: path, v)
         | NONE => usual,
     put = fn (r, done) => (name, write (from r)) :: done}

  fun objectOf check ({names, get, put} : ('r, 'r) fields) : 'r codec =
    {read =
       fn (path, JSON.OBJECT fields) => (check (path, names, fields); get (path, fields))
        | (path, v) => expected (path, "an object", v),
     write = fn r => JSON.OBJECT (rev (put (r, [])))}
  fun object fields = objectOf ignore fields
  fun exactly fields =
    objectOf
      (fn (path, names, given) =>
        case List.find (fn (name, _) => not (List.exists (fn n => n = name) names)) given of
          SOME (name, _) =>
            wrong (FIELD name :: path, "is not known; there are: " ^ String.concatWith ", " names)
        | NONE => ())
      fields

  type 'a variant = {name : string, read : path * JSON.value -> 'a, write : 'a -> JSON.value option}
  fun variant (name, {read, write} : 'b codec, to, from) : 'a variant =
    {name = name, read = to o read, write = Option.map write o from}

  fun tagged tag (variants : 'a variant list) : 'a codec =
    let
      val names = choice (List.map (found o JSON.STRING o #name) variants)
      fun read (path, value as JSON.OBJECT fields) =
            (case look (tag, fields) of
               SOME (name as JSON.STRING text) =>
                 (case List.find (fn {name, ...} => name = text) variants of
                    SOME {read, ...} =>
                      read (path, JSON.OBJECT (List.filter (fn (n, _) => n <> tag) fields))
                  | NONE => expected (FIELD tag :: path, names, name))
             | SOME other => expected (FIELD tag :: path, names, other)
             | NONE => wrong (FIELD tag :: path, "is missing"))
        | read (path, value) = expected (path, "an object", value)
      fun write x =
        let
          fun go [] = raise Match
            | go ({name, write, ...} :: rest) =
                case write x of
                  SOME (JSON.OBJECT fields) => JSON.OBJECT ((tag, JSON.STRING name) :: fields)
                | SOME _ => raise Match
                | NONE => go rest
        in
          go variants
        end
    in
      {read = read, write = write}
    end
end
