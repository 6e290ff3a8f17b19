(* FNVHash and HashString: the hash of Fowler, Noll and Vo (FNV-1a, 64 bits) over the bytes of a string. *)

signature FNV_HASH' =
sig
  val offsetBasis : Word64.word
  (* What a hash starts from. *)
  val hashByte : Word8.word * Word64.word -> Word64.word
  (* The hash with one more byte. *)
  val hashChar : char * Word64.word -> Word64.word
  (* The hash with one more byte, given as a character. *)
  val hashString : string -> word
  (* The hash of the string's bytes, from the offset basis on. *)
  val hashSubstring : substring -> word
  (* The hash of those bytes alone: the same as that of a string that has them. *)
end

structure FNVHash : FNV_HASH' =
struct
  val offsetBasis = 0wxCBF29CE484222325 : Word64.word
  val prime = 0wx100000001B3 : Word64.word

  fun hashByte (b, h) = Word64.xorb (h, Word64.fromLarge (Word8.toLarge b)) * prime
  fun hashChar (c, h) = Word64.xorb (h, Word64.fromInt (Char.ord c)) * prime

  fun hashString s = Word.fromLarge (Word64.toLarge (CharVector.foldl hashChar offsetBasis s))
  fun hashSubstring s = Word.fromLarge (Word64.toLarge (Substring.foldl hashChar offsetBasis s))
end

structure HashString : sig
  val hashString : string -> word
  (* The FNV-1a hash of the string's bytes, from the offset basis on. *)
  val hashSubstring : substring -> word
  (* The hash of those bytes alone: the same as that of a string that has them. *)
end = FNVHash
