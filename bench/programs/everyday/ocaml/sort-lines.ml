let () =
  let input = open_in Sys.argv.(1) in
  let rec read all = match input_line input with line -> read (line :: all) | exception End_of_file -> List.rev all in
  let sorted = List.sort String.compare (read []) in
  let sum = ref 0 in
  List.iteri
    (fun i line ->
      let first = if line = "" then 10 else Char.code line.[0] in
      sum := ((!sum * 31) + (i * (String.length line + 1)) + first) mod 1000003)
    sorted;
  let rec last = function [ x ] -> x | _ :: l -> last l | [] -> "" in
  Printf.printf "%s\n%s\n%d\n" (List.hd sorted) (last sorted) !sum
