(* Two structures of one signature in a functor's parameter are two structures: for some hours one set of variables stood
   for both, when the signature specified no types, so that the functor saw the second structure's values twice. *)
signature STEP = sig val step : int -> int exception Stop structure Inner : sig val name : string end end
functor Both (structure A : STEP structure B : STEP) =
struct
  fun run n = A.Inner.name ^ Int.toString (A.step n) ^ B.Inner.name ^ Int.toString (B.step n)
  fun which f = (f (); "none") handle A.Stop => "A" | B.Stop => "B"
  structure Swapped = struct structure A = B and B = A end
end
structure Up = struct fun step n = n + 1 exception Stop structure Inner = struct val name = "up" end end
structure Down = struct fun step n = n - 1 exception Stop structure Inner = struct val name = "down" end end
structure X = Both (structure A = Up structure B = Down)
structure Y = Both (structure A = X.Swapped.A structure B = X.Swapped.B)
val () = print (X.run 10 ^ " " ^ Y.run 20 ^ "\n")
val () = print (X.which (fn () => raise Up.Stop) ^ X.which (fn () => raise Down.Stop) ^ Y.which (fn () => raise Up.Stop) ^ "\n")
