(* What shares is specified in the signature: `A` is not (rule 78). That was only noticed when the structures had a type in
   common (SML/NJ's tests 121 and 63). *)
structure A = struct type t = int end
signature S = sig structure D : sig type u end sharing D = A end
signature T =
sig
  structure B : sig end
  structure C : sig structure D : sig type t end sharing D = B end
end
