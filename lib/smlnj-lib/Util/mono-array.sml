(* MonoArrayFn: an array of any type behind the signature of monomorphic arrays. *)

functor MonoArrayFn (type elem) :> MONO_ARRAY where type elem = elem =
struct
  open Array

  type elem = elem
  type array = elem Array.array
  type vector = elem Vector.vector
end
