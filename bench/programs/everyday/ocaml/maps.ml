module Ints = Map.Make (Int)
module Strings = Map.Make (String)

let next x = x * 16807 mod 2147483647
let rec repeat i x m f = if i = 0 then m else repeat (i - 1) (next x) (f x m) f
let key x = "key" ^ string_of_int x
let more = function None -> Some 1 | Some n -> Some (n + 1)

let () =
  let n = int_of_string Sys.argv.(1) in
  let ints = repeat n 1 Ints.empty (fun x m -> Ints.update (x mod n) more m) in
  let found =
    repeat n 7 0 (fun x s -> s + match Ints.find_opt (x mod n) ints with Some v -> v | None -> 0)
  in
  let fewer = repeat (n / 2) 11 ints (fun x m -> Ints.remove (x mod n) m) in
  Printf.printf "%d %d %d %d\n" (Ints.cardinal ints) found (Ints.cardinal fewer)
    (Ints.fold (fun k v s -> ((s * 31) + (k * v)) mod 1000003) fewer 0);
  let strings = repeat n 3 Strings.empty (fun x m -> Strings.update (key (x mod n)) more m) in
  let found =
    repeat n 5 0 (fun x s -> s + match Strings.find_opt (key (x mod n)) strings with Some v -> v | None -> 0)
  in
  Printf.printf "%d %d %d\n" (Strings.cardinal strings) found
    (Strings.fold (fun k v s -> ((s * 31) + (String.length k * v)) mod 1000003) strings 0)
