let rec is_safe q d = function
  | [] -> true
  | p :: rest -> q <> p && q <> p + d && q <> p - d && is_safe q (d + 1) rest

let rec count n row placed =
  if row = n then 1
  else
    let rec each q =
      if q > n then 0 else (if is_safe q 1 placed then count n (row + 1) (q :: placed) else 0) + each (q + 1)
    in
    each 1

let () = Printf.printf "%d\n" (count (int_of_string Sys.argv.(1)) 0 [])
