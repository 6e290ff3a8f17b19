let is_letter c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')

let words_of line f =
  let n = String.length line in
  let rec go i start =
    if i = n then (if i > start then f (String.sub line start (i - start)))
    else if is_letter line.[i] then go (i + 1) start
    else begin
      if i > start then f (String.sub line start (i - start));
      go (i + 1) (i + 1)
    end
  in
  go 0 0

let () =
  let table = Hashtbl.create 1024 in
  let add w = Hashtbl.replace table w (1 + Option.value (Hashtbl.find_opt table w) ~default:0) in
  let input = open_in Sys.argv.(1) in
  (try
     while true do
       words_of (input_line input) add
     done
   with End_of_file -> ());
  let all = Hashtbl.fold (fun w n l -> (w, n) :: l) table [] in
  let order (a, n) (b, m) = if n <> m then compare (m : int) n else String.compare a b in
  List.iteri (fun i (w, n) -> if i < 10 then Printf.printf "%s %d\n" w n) (List.sort order all);
  Printf.printf "%d words\n" (Hashtbl.length table)
