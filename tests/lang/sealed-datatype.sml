(* A datatype that `where type` makes that of a sealed structure: its constructors were of the wrong type name in Core. *)
structure A' = struct type s = int datatype d = X of s | Y fun f () = Y end
structure A :> sig eqtype s datatype d = X of s | Y  val f : unit -> d end = A'
signature U = sig type d type s val g : unit -> d end
structure B :> U where type d = A.d where type s = A.s = struct type s = A.s datatype d = datatype A.d fun g () = A.f () end
signature V = sig eqtype s datatype d = X of s | Y val g : unit -> d end
structure C :> V where type s = A.s where type d = A.d = struct type s = A.s datatype d = datatype A.d val g = A.f end
val _ = print (case A.f () of A.Y => "y\n" | A.X _ => "x\n")
val _ = print (case C.g () of C.Y => "y\n" | C.X _ => "x\n")
val _ = print (case C.g () of A.Y => "y\n" | A.X _ => "x\n")
