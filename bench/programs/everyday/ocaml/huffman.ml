type tree = Leaf of int * char | Node of int * tree * tree

let weight = function Leaf (w, _) -> w | Node (w, _, _) -> w

(* The library has no priority queue: a map from weights and numbers. *)
module Queue = Map.Make (struct
  type t = int * int

  let compare = compare
end)

let () =
  let input = open_in_bin Sys.argv.(1) in
  let text = really_input_string input (in_channel_length input) in
  let counts = Array.make 256 0 in
  String.iter (fun c -> counts.(Char.code c) <- counts.(Char.code c) + 1) text;
  let number = ref 0 in
  let insert t q =
    incr number;
    Queue.add (weight t, !number) t q
  in
  let q = ref Queue.empty in
  Array.iteri (fun i n -> if n > 0 then q := insert (Leaf (n, Char.chr i)) !q) counts;
  let rec build q =
    let k, a = Queue.min_binding q in
    let q = Queue.remove k q in
    match Queue.min_binding_opt q with
    | None -> a
    | Some (k, b) -> build (insert (Node (weight a + weight b, a, b)) (Queue.remove k q))
  in
  let tree = build !q in
  let table = Array.make 256 "" in
  let rec fill bits = function
    | Leaf (_, c) -> table.(Char.code c) <- bits
    | Node (_, l, r) ->
        fill (bits ^ "0") l;
        fill (bits ^ "1") r
  in
  fill "" tree;
  let out = Buffer.create 1000 in
  String.iter (fun c -> Buffer.add_string out table.(Char.code c)) text;
  let bits = Buffer.contents out in
  let back = Buffer.create (String.length text) in
  let rec loop i = function
    | Leaf (_, c) ->
        Buffer.add_char back c;
        if i < String.length bits then loop i tree
    | Node (_, l, r) -> loop (i + 1) (if bits.[i] = '0' then l else r)
  in
  loop 0 tree;
  Printf.printf "%d characters, %d bits, back %b\n" (String.length text) (String.length bits) (Buffer.contents back = text)
