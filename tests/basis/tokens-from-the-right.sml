(* String.tokens and String.fields derive their lists "from left to right" (the Basis), so a predicate with a state works from
   the left; and it is to be asked once for each character, as SML/NJ and Poly/ML do.

   expected:  GET / HTTP/1.1 | GET / HTTP/1.1 | GET / HTTP/1.1      (split at the first blank only)
     [GET][/ HTTP/1.1]
     [GET][/ HTTP/1.1]
     ab,c
   found:
     [GET /][HTTP/1.1]
     [GET /][HTTP/1.1]
     aab,,cc

   lib/basis/string.sml, `pieces` went from the right; lib/basis/substring.sml, `tokens` asked about the first character of each
   token, and about the separator behind it, twice. *)
fun atFirst () =
  let
    val seen = ref false
  in
    fn c => c = #" " andalso not (!seen) andalso (seen := true; true)
  end
fun show l = print (concat (map (fn s => "[" ^ s ^ "]") l) ^ "\n")
val line = "GET / HTTP/1.1"
val () = show (String.fields (atFirst ()) line)
val () = show (String.tokens (atFirst ()) line)
val asked = ref ""
val _ = Substring.tokens (fn c => (asked := !asked ^ str c; c = #",")) (Substring.full "ab,c")
val () = print (!asked ^ "\n")
