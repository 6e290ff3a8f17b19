let words = [| "bread"; "butter"; "salt"; "water"; "flour"; "yeast"; "olives" |]
let line i = Printf.sprintf "%8d | %-10s | %06X | %b" i words.(i mod 7) (i * 37 mod 65536) (i mod 3 = 0)

let sum text =
  let s = ref 7 in
  String.iter (fun c -> s := ((!s * 31) + Char.code c) mod 1000003) text;
  !s

let () =
  let n = int_of_string Sys.argv.(1) in
  let table = String.concat "\n" (List.init n line) in
  Printf.printf "%d characters, sum %d\n" (String.length table) (sum table);
  let capitals = String.uppercase_ascii table in
  Printf.printf "in capitals %d\n" (sum capitals);
  let fields = List.concat_map (String.split_on_char ' ') (String.split_on_char '\n' capitals) in
  let turned = String.concat " " (List.rev (List.filter (fun w -> w <> "") fields)) in
  Printf.printf "turned %d\n" (sum turned);
  let out = Buffer.create 1000 in
  String.iter
    (function '|' -> Buffer.add_string out "&#124;" | ' ' -> Buffer.add_char out '_' | c -> Buffer.add_char out c)
    turned;
  Printf.printf "escaped %d\n" (sum (Buffer.contents out))
