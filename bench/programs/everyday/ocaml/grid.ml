(* The library has no priority queue: a set of pairs. *)
module Queue = Set.Make (struct
  type t = int * int

  let compare (a, p) (b, q) = if a = b then Int.compare p q else Int.compare a b
end)

let () =
  let n = int_of_string Sys.argv.(1) in
  let x = ref 1 in
  let costs =
    Array.init (n * n) (fun _ ->
        x := !x * 16807 mod 2147483647;
        1 + (!x mod 9))
  in
  let best = Array.make (n * n) max_int in
  let reach place cost queue =
    if cost < best.(place) then begin
      best.(place) <- cost;
      Queue.add (cost, place) queue
    end
    else queue
  in
  let neighbours place =
    let row = place / n and column = place mod n in
    List.filter_map
      (fun (is_there, p) -> if is_there then Some p else None)
      [ (row > 0, place - n); (row < n - 1, place + n); (column > 0, place - 1); (column < n - 1, place + 1) ]
  in
  let rec loop queue =
    match Queue.min_elt_opt queue with
    | None -> ()
    | Some ((cost, place) as first) ->
        let queue = Queue.remove first queue in
        if cost > best.(place) then loop queue
        else loop (List.fold_left (fun q p -> reach p (cost + costs.(p)) q) queue (neighbours place))
  in
  loop (reach 0 0 Queue.empty);
  Printf.printf "the other corner costs %d, the farthest place %d\n"
    best.((n * n) - 1)
    (Array.fold_left max 0 best)
