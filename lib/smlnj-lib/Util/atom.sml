(* Atom: strings with their hash, so that tables need not compute it again and comparing different ones is quick.

   Differences: atoms are not entered into a table of the whole program. Two that are different nearly always have
   different hashes; two that are the same are compared by their text. So atoms need no lock between threads, and those
   that nobody uses any more are garbage. *)

signature ATOM =
sig
  type atom

  val atom : string -> atom
  val atom' : substring -> atom
  val toString : atom -> string
  val same : (atom * atom) -> bool
  val sameAtom : (atom * atom) -> bool
  (* The older name of same. *)
  val compare : (atom * atom) -> order
  (* Some total order, quicker than that of the strings. *)
  val lexCompare : (atom * atom) -> order
  (* The order of the strings. *)
  val hash : atom -> word
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

  fun compare (Atom {hash = g, text = s}, Atom {hash = h, text = t}) =
    if g < h then LESS else if g > h then GREATER else String.compare (s, t)

  fun lexCompare (Atom {text = s, ...}, Atom {text = t, ...}) = String.compare (s, t)
end
