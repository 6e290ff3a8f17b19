(* A functor whose parameter's signature names an abstract datatype outside by `where type`, and behind it an opaque
   constraint by the same signature.

   Expected (Poly/ML):  name04
   Found (also -O0):    a crash (invalid memory access); --verify=each: C6, a constructor: `int -> t` is not `int -> S.t`

   compiler/elab/src/matching.rs, `seal`. T binds no type names, so every use of T has T's own list of constructors, of
   which `rep` is the datatype `t` that T specified (S.t is abstract, con_list_of has no list for it). The constraint of V
   wrote S's representation into that list, for all: then the application found `from.rep == to.rep` in realise_env,
   and did not map `t` in the functor's body, which had been elaborated before. Mended: the opaque constraint shows a
   list of its own (`shown_list`), the signature's stays. *)
structure S :> sig datatype t = Int of int | Text of string  val show : t -> string end =
  struct
    datatype t = Text of string | Int of int
    fun show (Int n) = Int.toString n
      | show (Text s) = s
  end

signature T = sig datatype t = Int of int | Text of string end where type t = S.t

functor G (X : T) =
  struct
    fun zero () = X.Int 0
    fun name s = X.Text s
    fun len (X.Int n) = n
      | len (X.Text s) = size s
  end

structure V :> T = S
structure H = G (V)
val () = print (S.show (H.name "name") ^ S.show (H.zero ()) ^ Int.toString (H.len (S.Text "four")) ^ "\n")
