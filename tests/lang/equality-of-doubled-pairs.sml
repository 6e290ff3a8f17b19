(* Pairs of one pair twice, and so on: comparing them was written out for each of 65,536 parts, which took 15 s to compile. Of
   parts that are the same object nothing is compared. *)

val n = length (CommandLine.arguments ())
fun pairs n =
  let
    val t0 = (n, 1)
    val t1 = (t0, t0) val t2 = (t1, t1) val t3 = (t2, t2) val t4 = (t3, t3) val t5 = (t4, t4) val t6 = (t5, t5)
    val t7 = (t6, t6) val t8 = (t7, t7) val t9 = (t8, t8) val t10 = (t9, t9) val t11 = (t10, t10)
    val t12 = (t11, t11) val t13 = (t12, t12) val t14 = (t13, t13) val t15 = (t14, t14) val t16 = (t15, t15)
  in
    t16
  end
fun same (a, b) = a = b
val (a, b) = (pairs n, pairs (n + 1))
val () = app (fn x => print (Bool.toString x ^ "\n")) [same (a, a), same (a, b), same (b, b)]
