type node = End | Node of { key : string; value : int; mutable before : node; mutable after : node }

let room = 10000
let first = ref End
let last = ref End
let table = Hashtbl.create room

let unlink = function
  | Node n ->
      (match n.before with Node b -> b.after <- n.after | End -> first := n.after);
      (match n.after with Node a -> a.before <- n.before | End -> last := n.before)
  | End -> ()

let push_front node =
  match node with
  | Node n ->
      n.before <- End;
      n.after <- !first;
      (match !first with Node f -> f.before <- node | End -> last := node);
      first := node
  | End -> ()

let get key =
  match Hashtbl.find_opt table key with
  | Some (Node n as node) ->
      unlink node;
      push_front node;
      Some n.value
  | _ -> None

let put key value =
  (if Hashtbl.length table >= room then
     match !last with
     | Node n as old ->
         unlink old;
         Hashtbl.remove table n.key
     | End -> ());
  let node = Node { key; value; before = End; after = End } in
  Hashtbl.replace table key node;
  push_front node

let () =
  let n = int_of_string Sys.argv.(1) in
  let hits = ref 0 and sum = ref 0 and x = ref 1 in
  for _ = 1 to n do
    let y = !x * 16807 mod 2147483647 in
    let k = y mod 200 * (!x mod 200) mod 30011 in
    x := y;
    let key = "user-" ^ string_of_int k in
    match get key with
    | Some v ->
        incr hits;
        sum := ((!sum * 31) + v) mod 1000003
    | None -> put key (k * 7 mod 1009)
  done;
  Printf.printf "%d hits of %d, sum %d\n" !hits n !sum
