(* Two local functions of one name. They were one row, at the place of the first. *)
fun work n =
  let
    fun loop (i, a) = if i = 0 then a else loop (i - 1, (a * 31 + i) mod 1000003)
    val x = loop (n, 0)
    fun loop (i, a) = if i = 0 then a else loop (i - 1, (a * 17 + x) mod 1000003)
  in loop (3 * n, 0) end
val () = print (Int.toString (work 100000) ^ "\n")
