(* Bool: truth values. *)

signature BOOL =
sig
  datatype bool = datatype bool
  (* true of false, false of true. *)
  val not : bool -> bool
  (* `true` or `false`. *)
  val toString : bool -> string
  (* Reads `true` or `false`, in small letters or capitals, after white space. NONE when there is neither. *)
  val scan : (char, 'a) StringCvt.reader -> (bool, 'a) StringCvt.reader
  (* Reads `true` or `false`, in small letters or capitals, after white space; what follows does not matter. NONE when
     there is neither. *)
  val fromString : string -> bool option
end

structure Bool : BOOL =
struct
  datatype bool = datatype bool

  fun not true = false
    | not false = true

  fun toString true = "true"
    | toString false = "false"

  fun scan getc src =
    let
      (* matches the rest of a word, letters of either case *)
      fun word ([], value, src) = SOME (value, src)
        | word ((lower, upper) :: rest, value, src) =
            case getc src of
              SOME (c, src) =>
                if c = lower orelse c = upper then word (rest, value, src) else NONE
            | NONE => NONE
      val src = StringCvt.skipWS getc src
    in
      case getc src of
        SOME (#"t", src) => word ([(#"r", #"R"), (#"u", #"U"), (#"e", #"E")], true, src)
      | SOME (#"T", src) => word ([(#"r", #"R"), (#"u", #"U"), (#"e", #"E")], true, src)
      | SOME (#"f", src) =>
          word ([(#"a", #"A"), (#"l", #"L"), (#"s", #"S"), (#"e", #"E")], false, src)
      | SOME (#"F", src) =>
          word ([(#"a", #"A"), (#"l", #"L"), (#"s", #"S"), (#"e", #"E")], false, src)
      | _ => NONE
    end

  fun fromString s = StringCvt.scanString scan s
end

val not = Bool.not
