let tabulate n f = Array.init n (fun i -> Array.init n (fun j -> f i j))

let () =
  let n = int_of_string Sys.argv.(1) in
  let a = tabulate n (fun i j -> float_of_int (((i * 7) + (j * 3)) mod 11)) in
  let b = tabulate n (fun i j -> float_of_int (((i * 5) + (j * 2)) mod 13)) in
  let c =
    tabulate n (fun i j ->
        let sum = ref 0. in
        for k = 0 to n - 1 do
          sum := !sum +. (a.(i).(k) *. b.(k).(j))
        done;
        !sum)
  in
  let trace = ref 0. in
  Array.iteri (fun i row -> trace := !trace +. row.(i)) c;
  let total = Array.fold_left (Array.fold_left ( +. )) 0. c in
  Printf.printf "%.0f %.0f\n" !trace total
