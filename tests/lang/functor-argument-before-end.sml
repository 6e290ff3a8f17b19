(* A functor's argument of declarations, or of nothing, whose parenthesis stands before an `end`. The parser took that
   parenthesis for one that closes nothing, so MLton's compiler was refused. *)
functor E () = struct val x = 1 end
functor F (val x : int) = struct val y = x + 1 end
structure A = struct structure B = E () end
structure C = struct structure D = F (val x = A.B.x) end
functor Q () = struct structure R = F (open A.B) end
structure S = struct local structure T = E () in structure U = F (structure V = struct structure W = E () end open V.W) end end
structure X = Q ()
structure Y = let structure Z = E () in struct structure A = F (val x = Z.x) end end
local structure L = F (local val three = 3 in val x = three end) in val l = L.y end
val () = print (String.concatWith " " (map Int.toString [A.B.x, C.D.y, X.R.y, S.U.y, Y.A.y, l]) ^ "\n")
