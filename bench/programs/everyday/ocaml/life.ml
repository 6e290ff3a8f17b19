let step old n =
  let at i j = old.((i + n) mod n).((j + n) mod n) in
  Array.init n (fun i ->
      Array.init n (fun j ->
          let around =
            at (i - 1) (j - 1) + at (i - 1) j + at (i - 1) (j + 1) + at i (j - 1) + at i (j + 1)
            + at (i + 1) (j - 1) + at (i + 1) j + at (i + 1) (j + 1)
          in
          if around = 3 || (around = 2 && at i j = 1) then 1 else 0))

let () =
  let n = int_of_string Sys.argv.(1) in
  let x = ref 1 in
  let board =
    ref
      (Array.init n (fun _ ->
           Array.init n (fun _ ->
               x := !x * 16807 mod 2147483647;
               if !x mod 3 = 0 then 1 else 0)))
  in
  for _ = 1 to 100 do
    board := step !board n
  done;
  Printf.printf "%d cells live\n" (Array.fold_left (Array.fold_left ( + )) 0 !board)
