(* The greatest key of a map. (Only the least one was there, as in SML/NJ's signature; who wanted the latest item of a log made a
   list of all.) *)
structure M = RedBlackMapFn (type ord_key = string val compare = String.compare)
fun show (SOME (k, v)) = k ^ "=" ^ Int.toString v
  | show NONE = "none"
fun of' names = foldl (fn (name, m) => M.insert (m, name, size name)) M.empty names
val () =
  app (fn names => let val m = of' names in print (show (M.lasti m) ^ " " ^ Option.getOpt (Option.map Int.toString (M.last m), "none") ^ "\n") end)
    [[], ["a"], ["b", "ccc", "aa"], List.tabulate (1000, Int.toString)]
(* it is still a map of SML/NJ's *)
functor First (M : ORD_MAP) = struct val first = M.firsti end
structure F = First (IntBinaryMap)
val () = print (case (F.first (IntBinaryMap.singleton (1, "x")), IntRedBlackMap.lasti (IntRedBlackMap.singleton (2, "y"))) of (SOME (1, "x"), SOME (2, "y")) => "right\n" | _ => "wrong\n")
