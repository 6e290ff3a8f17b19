(* A `;` is missing before CM.make: it was taken for one more structure to open, and the message was about the constant. *)
open List
CM.make "$/smlnj-lib.cm";
structure A = struct use "other.sml"; end
