(* ULexBuffer: the input of ml-ulex's scanners: a stream that can be kept and read again. Text comes in pieces, each read
   once, when a reader first gets there. *)

structure ULexBuffer : sig
  type stream

  exception Incomplete
  exception Invalid
  (* Of UTF-8. *)

  val mkStream : AntlrStreamPos.pos * (unit -> string) -> stream
  (* From a position, and a function that gives more text, "" at the end. *)
  val getc : stream -> (char * stream) option
  (* The next byte, and the stream behind it; NONE at the end. Waits as the function that gives more text does. *)
  val getu : stream -> (word * stream) option
  (* The next code point of UTF-8. Raises Incomplete at an end within one, Invalid for bytes that are none. *)
  val getpos : stream -> AntlrStreamPos.pos
  (* Where the stream is, counted in bytes. *)
  val subtract : stream * stream -> Substring.substring
  (* subtract (new, old): what is between; old is not behind new, in the same input. *)
  val eof : stream -> bool
  (* Whether nothing comes any more; asks for more text to know it. *)
  val lastWasNL : stream -> bool
  (* Whether a newline, or nothing, was read before. *)
end =
struct
  datatype stream = S of piece * int * bool
  and piece =
    P of {text : string, start : AntlrStreamPos.pos, next : next ref, read : unit -> string}
  and next = Unread | Next of piece | Last
  (* A place in a piece, and lastWasNL. *)

  exception Incomplete
  exception Invalid

  fun piece (text, start, read) = P {text = text, start = start, next = ref Unread, read = read}
  fun mkStream (pos, read) = S (piece ("", pos, read), 0, true)

  fun following (P {text, start, next, read}) =
    case !next of
      Unread =>
        (next :=
           (case read () of
              "" => Last
            | more => Next (piece (more, AntlrStreamPos.forward (start, size text), read)));
         !next)
    | known => known

  fun getc (S (p as P {text, ...}, i, newLine)) =
    if i < size text then
      let val c = String.sub (text, i) in SOME (c, S (p, i + 1, c = #"\n")) end
    else
      case following p of
        Next p => getc (S (p, 0, newLine))
      | _ => NONE

  val getWide = UTF8.getWC UTF8.STRICT getc
  fun getu s =
    case getc s of
      SOME (c, rest) =>
        if Char.isAscii c then SOME (Word.fromInt (Char.ord c), rest)
        else (getWide s handle UTF8.Incomplete => raise Incomplete | UTF8.Invalid => raise Invalid)
    | NONE => NONE

  fun getpos (S (P {start, ...}, i, _)) = AntlrStreamPos.forward (start, i)

  fun subtract (S (P {next = last, ...}, j, _), S (old as P {text, next, ...}, i, _)) =
    let
      (* The cells for what follows tell pieces apart. The pieces from p on, the last one first. *)
      fun between (P {text, next, ...}, i, acc) =
        if next = last then String.substring (text, i, j - i) :: acc
        else
          case !next of
            Next p => between (p, 0, String.extract (text, i, NONE) :: acc)
          | _ => raise Fail "ULexBuffer.subtract"
    in
      if next = last then Substring.substring (text, i, j - i)
      else Substring.full (concat (rev (between (old, i, []))))
    end

  fun eof s = not (isSome (getc s))
  fun lastWasNL (S (_, _, newLine)) = newLine
end
