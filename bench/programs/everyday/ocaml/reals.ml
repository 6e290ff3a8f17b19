(* The shortest of the texts that are the same number again, which the library does not have. *)
let shortest r =
  let s = Printf.sprintf "%.15g" r in
  if float_of_string s = r then s
  else
    let s = Printf.sprintf "%.16g" r in
    if float_of_string s = r then s else Printf.sprintf "%.17g" r

let () =
  let n = int_of_string Sys.argv.(1) in
  let x = ref 1 and same = ref 0 and digits = ref 0 and sum = ref 0. in
  for _ = 1 to n do
    let y = !x * 16807 mod 2147483647 in
    let r = float_of_int !x /. (1. +. float_of_int (y mod 1000003)) in
    if float_of_string (shortest r) = r then incr same;
    let short = Printf.sprintf "%.6f" r in
    let sci = Printf.sprintf "%.4e" r in
    let k = String.length sci in
    digits := !digits + String.length short + k - 2;
    if sci.[k - 3] = '-' then incr digits;
    if sci.[k - 2] <> '0' then incr digits;
    sum := !sum +. float_of_string short;
    x := y
  done;
  let e = ref 0 in
  while !sum >= 10. do
    sum := !sum /. 10.;
    incr e
  done;
  Printf.printf "%d %d %.4fE%d\n" !same !digits !sum !e
