let text n seed =
  let x = ref seed in
  String.init n (fun _ ->
      x := !x * 16807 mod 2147483647;
      Char.chr (97 + (!x mod 5)))

let distance a b =
  let n = String.length b in
  let above = ref (Array.init (n + 1) Fun.id) in
  for i = 0 to String.length a - 1 do
    let here = Array.make (n + 1) (i + 1) in
    for j = 0 to n - 1 do
      let change = !above.(j) + if a.[i] = b.[j] then 0 else 1 in
      here.(j + 1) <- Int.min change (Int.min !above.(j + 1) here.(j) + 1)
    done;
    above := here
  done;
  !above.(n)

let load items room =
  let best = Array.make (room + 1) 0 in
  List.iter
    (fun (weight, value) ->
      for w = room downto weight do
        best.(w) <- Int.max best.(w) (best.(w - weight) + value)
      done)
    items;
  best.(room)

let () =
  let n = int_of_string Sys.argv.(1) in
  let items = List.init 200 (fun i -> (1 + (i * 37 mod 91), 10 + (i * 53 mod 97))) in
  Printf.printf "distance %d\n" (distance (text n 1) (text n 2));
  Printf.printf "load worth %d\n" (load items (n * 10))
