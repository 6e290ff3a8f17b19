let limit = 65536

let compress text =
  let table = Hashtbl.create limit in
  let rec loop i code count out =
    if i = String.length text then List.rev (code :: out)
    else
      let c = Char.code text.[i] in
      let key = (code * 256) + c in
      match Hashtbl.find_opt table key with
      | Some code -> loop (i + 1) code count out
      | None ->
          if count < limit then Hashtbl.replace table key count;
          loop (i + 1) c (count + 1) (code :: out)
  in
  loop 1 (Char.code text.[0]) 256 []

let expand codes =
  let strings = Array.init limit (fun i -> if i < 256 then String.make 1 (Char.chr i) else "") in
  let out = Buffer.create 1000 in
  let rec loop codes last count =
    match codes with
    | [] -> Buffer.contents out
    | code :: rest ->
        let first = if code < count then String.sub strings.(code) 0 1 else String.sub last 0 1 in
        if count < limit then strings.(count) <- last ^ first;
        let this = strings.(code) in
        Buffer.add_string out this;
        loop rest this (count + 1)
  in
  let first = strings.(List.hd codes) in
  Buffer.add_string out first;
  loop (List.tl codes) first 256

let () =
  let input = open_in_bin Sys.argv.(1) in
  let text = really_input_string input (in_channel_length input) in
  let codes = compress text in
  let sum = List.fold_left (fun s c -> ((s * 31) + c) mod 1000003) 0 codes in
  Printf.printf "%d characters, %d codes, sum %d, back %b\n" (String.length text) (List.length codes) sum
    (expand codes = text)
