(* A name that is not bound was told behind what followed from it: that the structure does not match its signature, since
   `max` is `'a -> int`, which is a guess. *)
structure A :> sig val max : string list -> string val least : int end =
struct
  fun split s = splt s
  fun max l = let fun bigger (a, b) = if a > b then a else b in foldl bigger (hd (split l)) (split l) end
  val least = "0"
end
