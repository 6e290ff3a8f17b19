type tree = Leaf | Node of tree * tree

let rec make d = if d = 0 then Node (Leaf, Leaf) else Node (make (d - 1), make (d - 1))
let rec count = function Leaf -> 0 | Node (l, r) -> 1 + count l + count r

let () =
  let n = int_of_string Sys.argv.(1) in
  let long = make n in
  let rec row d =
    if d <= n then begin
      let times = 1 lsl (n - d + 4) in
      let sum = ref 0 in
      for _ = 1 to times do
        sum := !sum + count (make d)
      done;
      Printf.printf "%d trees of depth %d: %d\n" times d !sum;
      row (d + 4)
    end
  in
  row 4;
  Printf.printf "the long-lived tree: %d\n" (count long)
