(* The networks in monadic style; ../monadic.sml explains them. L is the style: tramp.ml, cont.ml or lwt.ml. *)

open L

let rec plus a b c () = take a >>= fun x -> take b >>= fun y -> put c ((x + y) mod Numbers.modulus) >>= plus a b c
let rec copy from into () = take from >>= fun x -> put into x >>= copy from into
let cons x from into () = put into x >>= copy from into
let rec split from one other () = take from >>= fun x -> put one x >>= fun () -> put other x >>= split from one other

let kpn n =
  run (fun result ->
      let a = mvar () and b = mvar () and c = mvar () and d = mvar () in
      let e = mvar () and f = mvar () and out = mvar () in
      let rec last k () = take out >>= fun x -> if k = 0 then result x else last (k - 1) () in
      spawn (plus a b c) >>= fun () ->
      spawn (cons 1 c d) >>= fun () ->
      spawn (split d e b) >>= fun () ->
      spawn (cons 0 e f) >>= fun () ->
      spawn (split f a out) >>= last n)

let rec count k into () = put into k >>= count (k + 1) into

let rec filter p from into () =
  take from >>= fun x -> if x mod p = 0 then filter p from into () else put into x >>= filter p from into

let sieve n =
  run (fun result ->
      let rec next k from () =
        take from >>= fun p ->
        if k = 1 then result p
        else
          let into = mvar () in
          spawn (filter p from into) >>= next (k - 1) into
      in
      let numbers = mvar () in
      spawn (count 2 numbers) >>= next n numbers)

let comparator a b low high () =
  take a >>= fun (x : int) ->
  take b >>= fun y ->
  put low (if x < y then x else y) >>= fun () ->
  put high (if x < y then y else x) >>= fun () -> finished

let rec row least others outs rest =
  match others with
  | [] -> rest least (List.rev outs)
  | from :: others ->
      let low = mvar () and high = mvar () in
      spawn (comparator least from low high) >>= fun () -> row low others (high :: outs) rest

let rec network ins outs rest =
  match ins with
  | [] -> rest (List.rev outs)
  | first :: others -> row first others [] (fun least others -> network others (least :: outs) rest)

let rec feed ins numbers () =
  match (ins, numbers) with into :: ins, x :: numbers -> put into x >>= feed ins numbers | _ -> finished

let rec drain outs sum rest =
  match outs with [] -> rest sum | out :: outs -> take out >>= fun x -> drain outs (Numbers.checksum x sum) rest

let sorter n =
  run (fun result ->
      let ins = List.init n (fun _ -> mvar ()) in
      network ins [] (fun outs -> spawn (feed ins (Numbers.random n)) >>= fun () -> drain outs 0 result))

let setup n =
  run (fun result -> network (List.init n (fun _ -> mvar ())) [] (fun _ -> result (n * (n - 1) / 2)))

let () = Numbers.main name ~kpn ~sieve ~sorter ~setup
