(* CharMap: finite maps from characters; KeywordFn: keywords and identifiers of a lexer. *)

signature CHAR_MAP =
sig
  type 'a char_map

  val mkCharMap : {default : 'a, bindings : (string * 'a) list} -> 'a char_map
  (* Each character of a string is bound to the value beside it, the last binding counts. *)
  val mapChr : 'a char_map -> char -> 'a
  (* The value of a character, or the default. *)
  val mapStrChr : 'a char_map -> (string * int) -> 'a
  (* For the character at that index. *)
end

structure CharMap :> CHAR_MAP =
struct
  type 'a char_map = 'a vector

  fun mkCharMap {default, bindings} =
    let
      val map = Array.array (Char.maxOrd + 1, default)
      fun bind (s, v) = CharVector.app (fn c => Array.update (map, Char.ord c, v)) s
    in
      List.app bind bindings;
      Array.vector map
    end

  fun mapChr map c = Vector.sub (map, Char.ord c)
  fun mapStrChr map (s, i) = mapChr map (String.sub (s, i))
end

functor KeywordFn
  (KW : sig
     type token
     type pos
     val ident : (Atom.atom * pos * pos) -> token
     val keywords : (string * ((pos * pos) -> token)) list
   end) : sig
  type token
  type pos
  val keyword : (string * pos * pos) -> token
  (* The token of a word between two positions: the keyword's, or the identifier's. *)
end =
struct
  type token = KW.token
  type pos = KW.pos

  exception NotAKeyword

  val table : (pos * pos -> token) AtomTable.hash_table =
    AtomTable.mkTable (length KW.keywords, NotAKeyword)
  val () = List.app (fn (word, token) => AtomTable.insert table (Atom.atom word, token)) KW.keywords

  fun keyword (s, p, q) =
    let
      val word = Atom.atom s
    in
      case AtomTable.find table word of
        SOME token => token (p, q)
      | NONE => KW.ident (word, p, q)
    end
end
