type token = Number of int | Word of string | Symbol of char

let is_digit c = c >= '0' && c <= '9'
let is_alpha c = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')

let tokens text =
  let n = String.length text in
  let rec span f i = if i < n && f text.[i] then span f (i + 1) else i in
  let rec scan i all =
    if i = n then List.rev all
    else
      match text.[i] with
      | ' ' -> scan (i + 1) all
      | c when is_digit c ->
          let j = span is_digit i in
          scan j (Number (int_of_string (String.sub text i (j - i))) :: all)
      | c when is_alpha c ->
          let j = span (fun c -> is_alpha c || is_digit c) i in
          scan j (Word (String.sub text i (j - i)) :: all)
      | c -> scan (i + 1) (Symbol c :: all)
  in
  scan 0 []

let value = function "x" -> 3 | "y" -> 5 | "width" -> 11 | _ -> 1
let modulo n = ((n mod 1000003) + 1000003) mod 1000003

let rec sum l =
  let rec more (v, l) =
    match l with
    | Symbol '+' :: l ->
        let w, l = product l in
        more (modulo (v + w), l)
    | Symbol '-' :: l ->
        let w, l = product l in
        more (modulo (v - w), l)
    | _ -> (v, l)
  in
  more (product l)

and product l =
  let rec more (v, l) =
    match l with
    | Symbol '*' :: l ->
        let w, l = factor l in
        more (v * w mod 1000003, l)
    | _ -> (v, l)
  in
  more (factor l)

and factor = function
  | Number n :: l -> (n, l)
  | Word w :: l -> (value w, l)
  | Symbol '(' :: l -> ( match sum l with v, Symbol ')' :: l -> (v, l) | _ -> failwith "a parenthesis is open")
  | _ -> failwith "a number is wanted"

let () =
  let n = int_of_string Sys.argv.(1) in
  let total = ref 0 and count = ref 0 in
  for i = 0 to n - 1 do
    let l = tokens (Printf.sprintf "(%d + x*%d) * (width - %d) + y * (2 + z1) * %d" i (i mod 17) (i mod 7) (i * 37 mod 101)) in
    total := ((!total * 31) + fst (sum l)) mod 1000003;
    count := !count + List.length l
  done;
  Printf.printf "%d tokens, sum %d\n" !count !total
