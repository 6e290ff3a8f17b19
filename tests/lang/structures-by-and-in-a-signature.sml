(* Rule 84: none of the structures of `structure A : .. and B : ..` is in scope in another one's signature. *)
structure A = struct type t = int end
signature S =
sig
  structure A : sig type t end
  and B : sig val x : A.t end
end
structure M : S =
struct
  structure A = struct type t = string end
  structure B = struct val x = 1 end
end
val () = print (Int.toString M.B.x ^ "\n")
