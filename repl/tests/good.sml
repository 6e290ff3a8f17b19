(* Two units, and a rest without a semicolon. *)
val start = 1;
fun from_file n = n + start;
val last = from_file 41
