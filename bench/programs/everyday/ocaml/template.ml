module Strings = Map.Make (String)

type part = Text of string | Name of string

let parse template =
  let n = String.length template in
  let rec loop i parts =
    match String.index_from_opt template i '{' with
    | None -> List.rev (Text (String.sub template i (n - i)) :: parts)
    | Some j ->
        let k = String.index_from template j '}' in
        loop (k + 1) (Name (String.sub template (j + 1) (k - j - 1)) :: Text (String.sub template i (j - i)) :: parts)
  in
  loop 0 []

let expand parts values =
  let out = Buffer.create 200 in
  let escape = function
    | '<' -> Buffer.add_string out "&lt;"
    | '>' -> Buffer.add_string out "&gt;"
    | '&' -> Buffer.add_string out "&amp;"
    | c -> Buffer.add_char out c
  in
  List.iter
    (function
      | Text s -> Buffer.add_string out s
      | Name n -> String.iter escape (Option.value (Strings.find_opt n values) ~default:"?"))
    parts;
  Buffer.contents out

let page =
  parse
    "<h1>{title}</h1>\n<p>Dear {name}, your order of {count} pieces of {thing} from {date} is on its way.\n\
     <p>It costs {price}; {missing} is left.\n<footer>{name} &middot; {title}</footer>\n"

let values i =
  List.fold_left
    (fun m (k, v) -> Strings.add k v m)
    Strings.empty
    [
      ("title", "Order <" ^ string_of_int i ^ ">");
      ("name", "Ms. " ^ string_of_int (i mod 97) ^ " & Co");
      ("count", string_of_int (i mod 13));
      ("thing", if i mod 2 = 0 then "bread" else "salt");
      ("date", Printf.sprintf "2026-11-%02d" (1 + (i mod 30)));
      ("price", Printf.sprintf "%.2f" (float i *. 0.37));
    ]

let () =
  let n = int_of_string Sys.argv.(1) in
  let total = ref 0 and sum = ref 0 in
  for i = 0 to n - 1 do
    let text = expand page (values i) in
    total := !total + String.length text;
    sum := ((!sum * 31) + Char.code text.[String.length text / 2]) mod 1000003
  done;
  Printf.printf "%d characters, sum %d\n" !total !sum
