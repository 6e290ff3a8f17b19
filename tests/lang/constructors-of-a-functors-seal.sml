(* A sealed result of a functor, and an argument whose constructors stand in another order than in its signature.

   Expected (Poly/ML):  text
                        2.5
                        abcd
   Found (also -O0):    4.94065645841E~324text, then a crash (invalid memory access)

   compiler/elab/src/realise.rs, Realisation::list. The seal in the functor's body makes a list of constructors whose
   `rep` is the parameter's type, in the parameter's order. The application maps that `rep` to the argument's datatype
   (`reps`) but left the constructors where they were: "in the order of `rep`" (ConList::cons) was broken, and S.Text
   was the constructor 1 of the argument, which is Circle. Mended: the list is put into the order of its new `rep`;
   Realisation::entry then finds the numbers by name, as before. The same by a `where type` (realise.rs, con_list_of):
   the second functor. *)
signature SHAPE = sig datatype t = Circle of real | Text of string  val show : t -> string end
structure Other =
  struct
    datatype t = Text of string | Circle of real
    fun show (Circle r) = Real.toString r
      | show (Text s) = s
  end

functor Sealed (X : SHAPE) :> SHAPE = X
structure S = Sealed (Other)
val () = print (S.show (S.Text "text\n"))
val () = print (S.show (S.Circle 2.5) ^ "\n")

functor Same (X : SHAPE) =
  struct
    structure W :> SHAPE where type t = X.t = X
    datatype u = datatype W.t
    fun both () = W.show (X.Text "a") ^ X.show (W.Text "b") ^ X.show (Text "c")
  end
structure T = Same (Other)
val () = print (T.both () ^ Other.show (T.W.Text "d\n"))
