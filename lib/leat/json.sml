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

  (* The value of a text; raises Wrong. The text is JSON as RFC 8259 has it, so without comments, which JSONParser
     takes; and at most 10,000 arrays and objects stand within each other: JSONParser, which has no such limit, takes
     some hundred bytes of memory for each. *)
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
  (* The end of a text, and the pieces before, the last one first. *)
  type out = {buffer : CharBuffer.buf, pieces : string list ref}

  (* print: puts the text of a value behind what is there.
     members: of a value that is an object, puts the members, each behind a character: the one that is given, then
     commas. The result is what comes before the next one. Other values raise Match. *)
  type 'a codec =
    {read : path * JSON.value -> 'a,
     write : 'a -> JSON.value,
     print : out * 'a -> unit,
     members : out * 'a * char -> char}

  fun shownStep (ELEMENT i) = concat ["[", Int.toString i, "]"]
    | shownStep (FIELD name) =
        if name <> "" andalso CharVector.all (fn c => Char.isAlphaNum c orelse c = #"_") name then
          "." ^ JSONSource'.short name
        else concat ["[\"", JSONSource'.short (String.toString name), "\"]"]
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

  fun newOut n : out = {buffer = CharBuffer.new n, pieces = ref []}
  fun written ({buffer, pieces} : out) =
    case !pieces of
      [] => CharBuffer.contents buffer
    | l => concat (rev (CharBuffer.contents buffer :: l))
  (* A long buffer becomes a piece: to make it twice as long again and again would take more time. *)
  val pieceSize = 32768
  fun divide ({buffer, pieces} : out) =
    if CharBuffer.length buffer < pieceSize then ()
    else (pieces := CharBuffer.contents buffer :: !pieces; CharBuffer.clear buffer)

  fun put ({buffer, ...} : out, s) = CharBuffer.addVec (buffer, s)
  fun put1 ({buffer, ...} : out, c) = CharBuffer.add1 (buffer, c)

  fun putNumber (out : out, text) =
    if String.isPrefix "~" text then
      (put1 (out, #"-"); CharBuffer.addSlice (#buffer out, Substring.extract (text, 1, NONE)))
    else put (out, text)
  fun putInt (out, n) = putNumber (out, Int.toString n)
  fun putIntInf (out, n) = putNumber (out, IntInf.toString n)
  fun putReal (out, x) =
    if Real.isFinite x then put (out, RealText'.toString x) else raise Domain
  fun putBool (out, b) = put (out, if b then "true" else "false")
  fun putString (out : out, s) =
    (put1 (out, #"\""); JSONText'.putEscaped (#buffer out, s); put1 (out, #"\""))
  fun putArray print (out, l) =
    case l of
      [] => put (out, "[]")
    | first :: rest =>
        (put1 (out, #"[");
         print (out, first);
         List.app (fn x => (divide out; put1 (out, #","); print (out, x))) rest;
         put1 (out, #"]"))
  (* A member's name as it is written. *)
  fun shownName name =
    let
      val out = newOut (size name + 3)
    in
      putString (out, name);
      put1 (out, #":");
      written out
    end
  (* A member behind a mark: the one that the next member has. *)
  fun putMember (out, mark, shown, print, x) =
    (put1 (out, mark); put (out, shown); print (out, x); #",")
  fun putMembers print (out, l, mark) =
    List.foldl
      (fn ((name, x), mark) =>
        (divide out;
         put1 (out, mark);
         putString (out, name);
         put1 (out, #":");
         print (out, x);
         #","))
      mark
      l
  fun putObject members (out, x) =
    case members (out, x, #"{") of
      #"{" => put (out, "{}")
    | _ => put1 (out, #"}")

  fun putValue (out, v) =
    case v of
      JSON.NULL => put (out, "null")
    | JSON.BOOL b => putBool (out, b)
    | JSON.INT n => putIntInf (out, n)
    | JSON.FLOAT x => putReal (out, x)
    | JSON.STRING s => putString (out, s)
    | JSON.ARRAY l => putArray putValue (out, l)
    | JSON.OBJECT l => putObject (putMembers putValue) (out, l)

  fun none _ = raise Match

  fun fromJSON ({read, ...} : 'a codec) value = read ([], value)
  fun toJSON ({write, ...} : 'a codec) x = write x
  fun toString ({print, ...} : 'a codec) x =
    let
      val out = newOut 256
    in
      print (out, x);
      written out
    end
  (* A text of a megabyte may be a million brackets, and may have been sent for that. *)
  val mostNested = 10000

  fun fromString codec text =
    let
      val source =
        JSONSource'.nestedAtMost
          mostNested
          (JSONSource'.withoutComments (JSONParser.openString text))
      val value = JSONParser.parseAll source handle Fail why => wrong ([], "no JSON: " ^ why)
    in
      fromJSON codec value
    end

  (* -- simple values *)

  (* true and false *)
  val bool : bool codec =
    {read = fn (_, JSON.BOOL b) => b | (path, v) => expected (path, "true or false", v),
     write = JSON.BOOL,
     print = putBool,
     members = none}

  val intInf : IntInf.int codec =
    {read = fn (_, JSON.INT n) => n | (path, v) => expected (path, "an integer", v),
     write = JSON.INT,
     print = putIntInf,
     members = none}

  val int : int codec =
    {read =
       fn (path, JSON.INT n) =>
            (IntInf.toInt n
             handle Overflow =>
                 wrong (path, shownInt n ^ " is too large for an integer"))
        | (path, v) => expected (path, "an integer", v),
     write = JSON.INT o IntInf.fromInt,
     print = putInt,
     members = none}

  (* What a text of JSON cannot write again: 1e999 is read as the infinite one. *)
  fun finite (path, x) =
    if Real.isFinite x then x else wrong (path, "a number that is too large for a real")

  val real : real codec =
    {read =
       fn (path, JSON.FLOAT x) => finite (path, x)
        | (path, JSON.INT n) => finite (path, Real.fromLargeInt n)
        | (path, v) => expected (path, "a number", v),
     write = JSON.FLOAT,
     print = putReal,
     members = none}

  val string : string codec =
    {read = fn (_, JSON.STRING s) => s | (path, v) => expected (path, "a string", v),
     write = JSON.STRING,
     print = putString,
     members = none}

  val unit : unit codec =
    {read = fn (_, JSON.NULL) => () | (path, v) => expected (path, "null", v),
     write = fn () => JSON.NULL,
     print = fn (out, ()) => put (out, "null"),
     members = none}

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
      {read = fn (path, v) => (check (path, v); v),
       write = fn v => v,
       print = putValue,
       members =
         fn (out, JSON.OBJECT l, mark) => putMembers putValue (out, l, mark)
          | _ => raise Match}
    end

  (* -- several values *)

  fun elements (read, path, values) =
    let
      fun go (_, [], done) = rev done
        | go (i, v :: rest, done) = go (i + 1, rest, read (ELEMENT i :: path, v) :: done)
    in
      go (0, values, [])
    end

  fun list ({read, write, print, ...} : 'a codec) : 'a list codec =
    {read =
       fn (path, JSON.ARRAY values) => elements (read, path, values)
        | (path, v) => expected (path, "an array", v),
     write = fn l => JSON.ARRAY (List.map write l),
     print = putArray print,
     members = none}

  fun map (there, back) ({read, write, print, members} : 'a codec) : 'b codec =
    {read = fn (path, v) =>
       let val x = read (path, v) in there x handle Fail why => wrong (path, why) end,
     write = write o back,
     print = fn (out, x) => print (out, back x),
     members = fn (out, x, mark) => members (out, back x, mark)}

  fun text {kind, read, show} : 'a codec =
    {read =
       fn (path, value as JSON.STRING s) =>
            (case read s of SOME x => x | NONE => expected (path, kind, value))
        | (path, value) => expected (path, kind, value),
     write = JSON.STRING o show,
     print = fn (out, x) => putString (out, show x),
     members = none}

  fun vector codec = map (Vector.fromList, Vector.foldr (op ::) []) (list codec)

  fun pair (a : 'a codec, b : 'b codec) : ('a * 'b) codec =
    {read =
       fn (path, JSON.ARRAY [x, y]) =>
            (#read a (ELEMENT 0 :: path, x), #read b (ELEMENT 1 :: path, y))
        | (path, v) => expected (path, "an array of 2 elements", v),
     write = fn (x, y) => JSON.ARRAY [#write a x, #write b y],
     print =
       fn (out, (x, y)) =>
         (put1 (out, #"[");
          #print a (out, x);
          put1 (out, #",");
          #print b (out, y);
          put1 (out, #"]")),
     members = none}

  fun nullable ({read, write, print, members} : 'a codec) : 'a option codec =
    {read = fn (_, JSON.NULL) => NONE | x => SOME (read x),
     write = fn SOME x => write x | NONE => JSON.NULL,
     print = fn (out, SOME x) => print (out, x) | (out, NONE) => put (out, "null"),
     members = fn (out, SOME x, mark) => members (out, x, mark) | _ => raise Match}

  fun dictionary ({read, write, print, ...} : 'a codec) : (string * 'a) list codec =
    {read =
       fn (path, JSON.OBJECT fields) =>
            List.map (fn (name, v) => (name, read (FIELD name :: path, v))) fields
        | (path, v) => expected (path, "an object", v),
     write = fn fields => JSON.OBJECT (List.map (fn (name, x) => (name, write x)) fields),
     print = putObject (putMembers print),
     members = putMembers print}

  fun choice [] = "nothing"
    | choice [one] = one
    | choice [one, other] = concat [one, " or ", other]
    | choice (one :: rest) = concat [one, ", ", choice rest]

  fun enum values : ''a codec =
    let
      fun show x =
        case List.find (fn (_, y) => x = y) values of
          SOME (text, _) => text
        | NONE => raise Match
      fun other (path, value) =
        expected (path, choice (List.map (found o JSON.STRING o #1) values), value)
    in
      {read =
         fn (path, value as JSON.STRING s) =>
              (case List.find (fn (text, _) => text = s) values of
                 SOME (_, x) => x
               | NONE => other (path, value))
          | (path, value) => other (path, value),
       write = JSON.STRING o show,
       print = fn (out, x) => putString (out, show x),
       members = none}
    end

  fun fix f : 'a codec =
    let
      val made = ref NONE
      fun codec () = valOf (!made)
      val whole =
        f {read = fn x => #read (codec ()) x,
           write = fn x => #write (codec ()) x,
           print = fn x => #print (codec ()) x,
           members = fn x => #members (codec ()) x}
    in
      made := SOME whole;
      whole
    end

  (* -- objects *)

  type object = (string * JSON.value) list
  (* write : a value, and the members of the fields before, the last one first -> those with this field's
     print : as `members` of a codec *)
  type ('r, 'a) fields =
    {names : string list,
     get : path * object -> 'a,
     write : 'r * object -> object,
     print : out * 'r * char -> char}

  fun make f : ('r, 'a) fields = {names = [], get = fn _ => f, write = #2, print = #3}

  fun ** (f : ('r, 'a -> 'b) fields, x : ('r, 'a) fields) : ('r, 'b) fields =
    {names = #names f @ #names x,
     get = fn object => let val g = #get f object in g (#get x object) end,
     write = fn (r, done) => #write x (r, #write f (r, done)),
     print = fn (out, r, mark) => #print x (out, r, #print f (out, r, mark))}

  fun look (name, fields : object) =
    case fields of
      [] => NONE
    | (n, v) :: rest => if n = name then SOME v else look (name, rest)

  fun field (name, {read, write, print, ...} : 'a codec, from) : ('r, 'a) fields =
    let
      val shown = shownName name
    in
      {names = [name],
       get =
         fn (path, fields) =>
           case look (name, fields) of
             SOME v => read (FIELD name :: path, v)
           | NONE => wrong (FIELD name :: path, "is missing"),
       write = fn (r, done) => (name, write (from r)) :: done,
       print =
         fn (out, r, mark) => putMember (out, mark, shown, print, from r)}
    end

  fun optional (name, {read, write, print, ...} : 'a codec, from) : ('r, 'a option) fields =
    let
      val shown = shownName name
    in
      {names = [name],
       get =
         fn (path, fields) =>
           case look (name, fields) of
             SOME JSON.NULL => NONE
           | SOME v => SOME (read (FIELD name :: path, v))
           | NONE => NONE,
       write = fn (r, done) => case from r of SOME x => (name, write x) :: done | NONE => done,
       print =
         fn (out, r, mark) =>
           case from r of
             SOME x => putMember (out, mark, shown, print, x)
           | NONE => mark}
    end

  fun default (name, codec as {read, ...} : 'a codec, usual, from) : ('r, 'a) fields =
    let
      val {names, write, print, ...} = field (name, codec, from)
    in
      {names = names,
       get =
         fn (path, fields) =>
           case look (name, fields) of
             SOME v => read (FIELD name :: path, v)
           | NONE => usual,
       write = write,
       print = print}
    end

  fun objectOf check ({names, get, write, print} : ('r, 'r) fields) : 'r codec =
    {read =
       fn (path, JSON.OBJECT fields) => (check (path, names, fields); get (path, fields))
        | (path, v) => expected (path, "an object", v),
     write = fn r => JSON.OBJECT (rev (write (r, []))),
     print = putObject print,
     members = print}
  fun object fields = objectOf ignore fields
  fun exactly fields =
    objectOf
      (fn (path, names, given) =>
        case List.find (fn (name, _) => not (List.exists (fn n => n = name) names)) given of
          SOME (name, _) =>
            wrong (FIELD name :: path, "is not known; there are: " ^ String.concatWith ", " names)
        | NONE => ())
      fields

  (* members : as those of a codec, of a value that has this form *)
  type 'a variant =
    {name : string,
     read : path * JSON.value -> 'a,
     write : 'a -> JSON.value option,
     members : 'a -> (out * char -> char) option}
  fun variant (name, {read, write, members, ...} : 'b codec, to, from) : 'a variant =
    {name = name,
     read = to o read,
     write = Option.map write o from,
     members = Option.map (fn x => fn (out, mark) => members (out, x, mark)) o from}

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
      val shownTag = shownName tag
      fun members (out, x, mark) =
        let
          fun go [] = raise Match
            | go ({name, members, ...} :: rest) =
                case members x of
                  SOME others =>
                    others (out, putMember (out, mark, shownTag, putString, name))
                | NONE => go rest
        in
          go variants
        end
    in
      {read = read, write = write, print = putObject members, members = members}
    end
end
