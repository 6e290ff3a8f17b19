(* Settings': lists of settings, of which the last one of a kind counts. *)

structure Settings' =
struct
  (* What `choose` takes of the last setting that it knows; else the default. *)
  fun last settings (choose, default) =
    case List.mapPartial choose (List.rev settings) of
      x :: _ => x
    | [] => default
end
