(* SortedNames': vectors of names with their values, in the order of the names: for tables that are made once and
   looked up often.

   Differences: BSearchFn of SML/NJ's library does the same for arrays of one type. *)

structure SortedNames' =
struct
  (* The value of a name, by halves: log n names are compared. NONE if the name is not there; one of them if it is there
     more than once. *)
  fun find (names, wanted) =
    let
      (* It is at none of the places before `low`, nor at `high` or behind it. *)
      fun search (low, high) =
        if low = high then NONE
        else
          let
            val middle = (low + high) div 2
            val (name, value) = Vector.sub (names, middle)
          in
            case String.compare (wanted, name) of
              EQUAL => SOME value
            | LESS => search (low, middle)
            | GREATER => search (middle + 1, high)
          end
    in
      search (0, Vector.length names)
    end
end
