(* Base64Url: bytes as letters, digits, `-` and `_` (RFC 4648, 5), as tokens and URLs have them. *)

signature BASE64_URL =
sig
  (* The bytes as a text, without `=` at its end. *)
  val encode : Word8Vector.vector -> string
  (* The bytes of such a text, with the `=` that belong to it, or without them. NONE for any other text, also for one
     whose last character has bits that no byte has: so each value has one text. *)
  val decode : string -> Word8Vector.vector option
end

structure Base64Url :> BASE64_URL =
struct
  fun encode bytes =
    let
      val text = Base64.encode bytes
      fun url #"+" = #"-"
        | url #"/" = #"_"
        | url c = c
    in
      String.map url (Substring.string (Substring.dropr (fn c => c = #"=") (Substring.full text)))
    end

  fun decode text =
    let
      val (plain, marks) = Substring.splitl (fn c => c <> #"=") (Substring.full text)
      val missing = (4 - Substring.size plain mod 4) mod 4
      val plain = Substring.string plain
      fun usual #"-" = #"+"
        | usual #"_" = #"/"
        | usual _ = #"="
      fun own c = if Char.isAlphaNum c then c else usual c
      val pad = CharVector.tabulate (missing, fn _ => #"=")
    in
      if Substring.isEmpty marks orelse Substring.string marks = pad then
        let
          val bytes = Base64.decodeStrict (String.map own plain ^ pad)
        in
          if encode bytes = plain then SOME bytes else NONE
        end
        handle Base64.Incomplete => NONE
             | Base64.Invalid _ => NONE
      else NONE
    end
end
