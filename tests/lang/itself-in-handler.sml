(* A function of numbers that calls itself in a handler's scope and outside of one gets copies of itself, and these
   get copies: scopes in scopes. After the inliner the inner ones did not name the outer ones, which --verify=each tells
   of (S12). *)
val last = ref [0w0 : word]
fun f (n : word) : word =
  (last := [n];
   if n < 0w2 then n else (f (n - 0w1) handle _ => 0w7) + f (n - 0w2))
val n = Word.fromInt (length (CommandLine.arguments ()) + 9)
val () = print (Word.fmt StringCvt.DEC (f n) ^ " " ^ Int.toString (length (!last)) ^ "\n")
