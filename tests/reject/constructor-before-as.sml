(* Rule 43: the identifier before `as` is no constructor. `SOME` was a variable in these. *)
fun f (SOME as x) = 1
fun g {NONE as y} = 2
exception E
fun h (E as z, w) = 3
fun ok (some as SOME x) = some | ok _ = NONE
