(* The networks in direct style; ../direct.sml explains them. L is the style: threads.ml or effects.ml. *)

open L

let rec plus a b c = let x = take a in let y = take b in put c ((x + y) mod Numbers.modulus); plus a b c
let rec copy from into = put into (take from); copy from into
let cons x from into = put into x; copy from into
let rec split from one other = let x = take from in put one x; put other x; split from one other

let kpn n =
  run (fun () ->
      let a = mvar () and b = mvar () and c = mvar () and d = mvar () in
      let e = mvar () and f = mvar () and out = mvar () in
      spawn (fun () -> plus a b c);
      spawn (fun () -> cons 1 c d);
      spawn (fun () -> split d e b);
      spawn (fun () -> cons 0 e f);
      spawn (fun () -> split f a out);
      let rec last k = let x = take out in if k = 0 then x else last (k - 1) in
      last n)

let rec count k into = put into k; count (k + 1) into
let rec filter p from into = let x = take from in if x mod p <> 0 then put into x; filter p from into

let sieve n =
  run (fun () ->
      let rec next k from =
        let p = take from in
        if k = 1 then p
        else begin
          let into = mvar () in
          spawn (fun () -> filter p from into);
          next (k - 1) into
        end
      in
      let numbers = mvar () in
      spawn (fun () -> count 2 numbers);
      next n numbers)

let comparator a b low high =
  let x : int = take a in
  let y = take b in
  put low (if x < y then x else y);
  put high (if x < y then y else x)

let rec row least others outs =
  match others with
  | [] -> (least, List.rev outs)
  | from :: others ->
      let low = mvar () and high = mvar () in
      spawn (fun () -> comparator least from low high);
      row low others (high :: outs)

let rec network ins outs =
  match ins with
  | [] -> List.rev outs
  | first :: others -> let least, others = row first others [] in network others (least :: outs)

let sorter n =
  run (fun () ->
      let ins = List.init n (fun _ -> mvar ()) in
      let outs = network ins [] in
      spawn (fun () -> List.iter2 put ins (Numbers.random n));
      List.fold_left (fun sum out -> Numbers.checksum (take out) sum) 0 outs)

let setup n = run (fun () -> ignore (network (List.init n (fun _ -> mvar ())) []); n * (n - 1) / 2)
let () = Numbers.main name ~kpn ~sieve ~sorter ~setup
