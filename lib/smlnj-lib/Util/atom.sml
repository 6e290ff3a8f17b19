(* Atom: strings with their hash, so that tables need not compute it again and comparing different ones is quick.

   Differences: atoms are not entered into a table of the whole program. Two that are different nearly always have
   different hashes; two that are the same are compared by their text. So atoms need no lock between threads, and those
   that nobody uses any more are garbage. *)

signature ATOM =
sig
  type atom

  val atom : string -> atom
  (* The atom of a string: equal strings have one atom. *)
  val atom' : substring -> atom
  (* The atom of a part of a string. *)
  val toString : atom -> string
  (* The atom's string. *)
  val same : (atom * atom) -> bool
  (* Whether both are one atom; does not look at the strings. *)
  val sameAtom : (atom * atom) -> bool
  (* The older name of same. *)
  val compare : (atom * atom) -> order
  (* Some total order, quicker than that of the strings. *)
  val lexCompare : (atom * atom) -> order
  (* The order of the strings. *)
  val hash : atom -> word
  (* A number for tables whose keys are atoms. *)
end

structure Atom :> ATOM =
struct
  datatype atom = Atom of {hash : word, text : string}

  fun atom s = Atom {hash = HashString.hashString s, text = s}
  fun atom' s = atom (Substring.string s)
  fun toString (Atom {text, ...}) = text
  fun hash (Atom {hash, ...}) = hash

  fun same (Atom {hash = g, text = s}, Atom {hash = h, text = t}) = g = h andalso s = t
  val sameAtom = same

  (* By the low 63 bits of the hashes, which is SML/NJ's order. *)
  fun compare (Atom {hash = g, text = s}, Atom {hash = h, text = t}) =
    case Word.compare (Word.<< (g, 0w1), Word.<< (h, 0w1)) of
      EQUAL => String.compare (s, t)
    | unequal => unequal

  fun lexCompare (Atom {text = s, ...}, Atom {text = t, ...}) = String.compare (s, t)
end
