let rec insertions x = function
  | [] -> [ [ x ] ]
  | y :: rest as l -> (x :: l) :: List.map (fun l -> y :: l) (insertions x rest)

let rec permutations = function [] -> [ [] ] | x :: rest -> List.concat_map (insertions x) (permutations rest)
let rec is_moved i = function [] -> true | x :: rest -> x <> i && is_moved (i + 1) rest
let rec last = function [ x ] -> x | _ :: l -> last l | [] -> 0

let () =
  let n = int_of_string Sys.argv.(1) in
  let all = permutations (List.init n Fun.id) in
  let moved = List.length (List.filter (is_moved 0) all) in
  let sum = List.fold_left (fun s l -> ((s * 31) + (List.hd l * 7) + last l) mod 1000003) 0 all in
  Printf.printf "%d permutations, %d move all, sum %d\n" (List.length all) moved sum
