type entry = { lines : int; sum : float; most : float }

let () =
  let cities = Hashtbl.create 128 in
  let input = open_in Sys.argv.(1) in
  ignore (input_line input);
  (try
     while true do
       match String.split_on_char ',' (input_line input) with
       | [ _; _; city; amount; count ] ->
           let amount = float_of_string amount and count = float_of_int (int_of_string count) in
           let e =
             match Hashtbl.find_opt cities city with Some e -> e | None -> { lines = 0; sum = 0.; most = 0. }
           in
           Hashtbl.replace cities city
             { lines = e.lines + 1; sum = e.sum +. (amount *. count); most = Float.max e.most amount }
       | _ -> failwith "a line of other fields"
     done
   with End_of_file -> ());
  let all = Hashtbl.fold (fun city e l -> (city, e) :: l) cities [] in
  List.iter
    (fun (city, e) -> Printf.printf "%-8s%d %.2f %.2f\n" city e.lines e.sum e.most)
    (List.sort (fun (a, _) (b, _) -> String.compare a b) all)
