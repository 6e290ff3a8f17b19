(* Log: what a program tells of its work, as lines with a level, a message and fields.

   The text form is a line of `key=value` pairs behind time, level and message:

     2026-11-27T07:02:14.123Z INFO  order stored id=17 user="Ada L." took=0.004

   The JSON form is an object a line, for programs:

     {"time":"2026-11-27T07:02:14.123Z","level":"info","message":"order stored","id":17,"user":"Ada L.","took":0.004}

   Every line is written at once, so lines of several threads do not mix. *)

signature LOG =
sig
  (* from the least to the most important *)
  datatype level = Debug | Info | Warn | Error

  datatype value =
      Text of string
    | Int of int
    | Real of real
    | Bool of bool
    (* a moment *)
    | Moment of Time.time
    (* how long something took, in seconds *)
    | Span of Time.time
    (* is computed when the line is written, and only then *)
    | Later of unit -> value
  (* In the JSON form a field `time`, `level` or `message` has an underscore behind its name, since the line has these
     itself. *)
  type field = string * value

  (* A message with fields, at this level. If the level is off nothing is done with them. *)
  val debug : string * field list -> unit
  (* What is usual, and of interest afterwards. *)
  val info : string * field list -> unit
  (* What is not as it should be, and goes on. *)
  val warn : string * field list -> unit
  (* What has failed. *)
  val error : string * field list -> unit
  (* At some level: the function is called only if that is on. *)
  val at : level -> (unit -> string * field list) -> unit
  (* Fields that say what exception this is: its name and its message. *)
  val raised : exn -> field list

  (* During the call each line of this thread has these fields, too, and so have those of the threads that it forks in
     scopes. Inner ones come behind outer ones; of two with the same name the inner one is kept. *)
  val having : field list -> (unit -> 'a) -> 'a
  (* The fields that each line of the running thread has now. *)
  val fields : unit -> field list

  (* Whether lines of this level are written. *)
  val isOn : level -> bool
  (* From now on this level is the lowest one that is written; NONE: no lines at all. At the start of the program it is
     that of the variable LOG_LEVEL (debug, info, warn, error, off), or Info. A value of it that is none of these is told
     of by the first line. *)
  val setLevel : level option -> unit
  (* The level with a name as in LOG_LEVEL, in small or capital letters; SOME NONE for "off". *)
  val levelOf : string -> level option option

  datatype form = Plain | JSON
  (* How lines look. At the start JSON if the variable LOG_FORMAT is json, and Plain if it is plain or not set; another
     value of it is told of by the first line. *)
  val setForm : form -> unit
  (* What is done with each line, which ends with a newline; at the start it is written to standard error. It is called
     by the threads that log, by several at a time. *)
  val setOutput : (string -> unit) -> unit
  (* The line of a message, as it would be written at that time. *)
  val line :
    form -> {time : Time.time, level : level, message : string, fields : field list} -> string
end

structure Log :> LOG =
struct
  datatype level = Debug | Info | Warn | Error
  datatype value =
      Text of string
    | Int of int
    | Real of real
    | Bool of bool
    | Moment of Time.time
    | Span of Time.time
    | Later of unit -> value
  type field = string * value
  datatype form = Plain | JSON

  fun rank Debug = 0
    | rank Info = 1
    | rank Warn = 2
    | rank Error = 3

  fun levelOf text =
    case String.map Char.toLower text of
      "debug" => SOME (SOME Debug)
    | "info" => SOME (SOME Info)
    | "warn" => SOME (SOME Warn)
    | "warning" => SOME (SOME Warn)
    | "error" => SOME (SOME Error)
    | "off" => SOME NONE
    | _ => NONE

  fun formOf text =
    case String.map Char.toLower text of
      "json" => SOME JSON
    | "plain" => SOME Plain
    | _ => NONE

  (* A variable with no text is as one that is not set. *)
  fun variable name =
    Option.mapPartial (Option.filter (fn text => text <> "")) (OS.Process.getEnv name)
  val (levelSaid, formSaid) = (variable "LOG_LEVEL", variable "LOG_FORMAT")

  fun rankOf (SOME level) = rank level
    | rankOf NONE = 4

  (* the rank of the lowest level that is on *)
  val lowest =
    ref
      (case Option.mapPartial levelOf levelSaid of
         SOME level => rankOf level
       | NONE => 1)
  val form = ref (Option.getOpt (Option.mapPartial formOf formSaid, Plain))
  val output = ref StdErr'.say

  fun isOn level = rank level >= !lowest
  fun setLevel level = lowest := rankOf level
  fun setForm f = form := f
  fun setOutput f = output := f

  (* -- values as text *)

  fun name Debug = "debug"
    | name Info = "info"
    | name Warn = "warn"
    | name Error = "error"
  fun column Debug = "DEBUG"
    | column Info = "INFO "
    | column Warn = "WARN "
    | column Error = "ERROR"

  fun signed text = String.map (fn #"~" => #"-" | c => c) text
  fun moment time = RFC3339.fmt {digits = 3, offset = 0} time
  fun seconds time = signed (Time.fmt 6 time)

  (* What is no UTF-8 becomes the character that stands for such bytes. *)
  fun quoted text = concat ["\"", JSONText'.escapedInLine text, "\""]

  (* A text that needs no quotes in a line of pairs. *)
  fun isWord text =
    text <> ""
    andalso CharVector.all
      (fn c => Char.isGraph c andalso c <> #"\"" andalso c <> #"=" andalso c <> #"\\")
      text

  fun real x = if Real.isFinite x then SOME (RealText'.toString x) else NONE

  fun plain value =
    case value of
      Text text => if isWord text then text else quoted text
    | Int n => signed (Int.toString n)
    | Real x => Option.getOpt (real x, signed (Real.toString x))
    | Bool b => Bool.toString b
    | Moment time => moment time
    | Span time => seconds time
    | Later f => plain (f ())

  fun json value =
    case value of
      Text text => quoted text
    | Real x => (case real x of SOME text => text | NONE => quoted (signed (Real.toString x)))
    | Moment time => quoted (moment time)
    | Later f => json (f ())
    | other => plain other

  (* Of fields with the same name the last one. *)
  fun last [] = []
    | last ((field as (name, _)) :: rest) =
        if List.exists (fn (n, _) => n = name) rest then last rest else field :: last rest

  (* The line has the others. *)
  fun renamed (name, value) =
    (case name of
       "time" => "time_"
     | "level" => "level_"
     | "message" => "message_"
     | _ => name,
     value)

  fun key name = if isWord name then name else quoted name

  (* A message has no newline in the text form, or one could pretend to be another line. *)
  fun plainMessage text = if CharVector.all Char.isPrint text then text else quoted text

  fun line Plain {time, level, message, fields} =
        concat (moment time
                :: " "
                :: column level
                :: " "
                :: plainMessage message
                :: List.foldr
                  (fn ((name, value), rest) => " " :: key name :: "=" :: plain value :: rest)
                  ["\n"]
                  (last fields))
    | line JSON {time, level, message, fields} =
        concat ("{\"time\":\""
                :: moment time
                :: "\",\"level\":\""
                :: name level
                :: "\",\"message\":"
                :: quoted message
                :: List.foldr
                  (fn ((name, value), rest) => "," :: quoted name :: ":" :: json value :: rest)
                  ["}\n"]
                  (last (List.map renamed fields)))

  (* -- *)

  val inherited = Scope.inherited [] : field list Scope.inherited
  fun fields () = Scope.valueOf inherited
  fun having more f = Scope.having (inherited, fields () @ more) f

  fun write (level, message, more) =
    ! output (line
                (!form)
                {time = Time.now (), level = level, message = message, fields = fields () @ more})

  fun tell level (message, more) = if isOn level then write (level, message, more) else ()
  fun debug x = tell Debug x
  fun info x = tell Info x
  fun warn x = tell Warn x
  fun error x = tell Error x
  fun at level f = if isOn level then tell level (f ()) else ()
  fun raised e = [("exception", Text (exnName e)), ("error", Text (exnMessage e))]

  (* Who has set a variable, and misspelt what it says, would otherwise wait for lines that do not come. *)
  fun check (_, NONE, _, _) = ()
    | check (name, SOME text, isKnown, known) =
        if isKnown text then ()
        else
          warn ("a variable is not understood",
                [("variable", Text name), ("value", Text text), ("known", Text known)])
  val () = check ("LOG_LEVEL", levelSaid, isSome o levelOf, "debug, info, warn, error, off")
  val () = check ("LOG_FORMAT", formSaid, isSome o formOf, "plain, json")
end
