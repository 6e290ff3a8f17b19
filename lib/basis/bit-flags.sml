(* BIT_FLAGS, and the flags that all of Posix uses: the bits of a word, as the system numbers them. *)

(* Sets of flags that are bits of a word. *)
signature BIT_FLAGS =
sig
  eqtype flags
  (* The bits, as the system numbers them. *)
  val toWord : flags -> SysWord.word
  (* The flags of these bits. *)
  val fromWord : SysWord.word -> flags
  (* Every flag. *)
  val all : flags
  (* What is in any of them. *)
  val flags : flags list -> flags
  (* What is in all of them; every flag of an empty list. *)
  val intersect : flags list -> flags
  (* The second without what is in the first. *)
  val clear : flags * flags -> flags
  (* Whether the second has all of the first. *)
  val allSet : flags * flags -> bool
  (* Whether the second has any of the first. *)
  val anySet : flags * flags -> bool
end

structure BitFlags' =
struct
  type flags = word
  fun toWord f = f
  fun fromWord w = w
  val all = Word.notb 0w0
  fun flags l = List.foldl Word.orb 0w0 l
  fun intersect l = List.foldl Word.andb all l
  fun clear (f, g) = Word.andb (Word.notb f, g)
  fun allSet (f, g) = Word.andb (f, g) = f
  fun anySet (f, g) = Word.andb (f, g) <> 0w0
  val int = Word.toIntX
end
