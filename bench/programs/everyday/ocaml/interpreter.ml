module Env = Map.Make (String)

type exp =
  | Number of int
  | Var of string
  | Op of exp * char * exp
  | If of exp * exp * exp
  | Fun of string * exp
  | Call of exp * exp
  | Let_fun of string * string * exp * exp

type value = Int of int | Closure of string * exp * value Env.t ref

let rec eval env = function
  | Number n -> Int n
  | Var x -> Env.find x env
  | Op (a, op, b) -> (
      match (eval env a, eval env b) with
      | Int x, Int y ->
          Int (match op with '+' -> x + y | '-' -> x - y | '*' -> x * y mod 1000003 | _ -> if x < y then 1 else 0)
      | _ -> failwith "numbers are wanted")
  | If (c, a, b) -> ( match eval env c with Int 0 -> eval env b | _ -> eval env a)
  | Fun (x, body) -> Closure (x, body, ref env)
  | Call (f, a) -> (
      match eval env f with
      | Closure (x, body, closed) -> eval (Env.add x (eval env a) !closed) body
      | _ -> failwith "a function is wanted")
  | Let_fun (f, x, body, rest) ->
      let closed = ref env in
      let env = Env.add f (Closure (x, body, closed)) env in
      closed := env;
      eval env rest

let program n =
  let minus k = Op (Var "n", '-', Number k) in
  let fib =
    If (Op (Var "n", '<', Number 2), Var "n", Op (Call (Var "fib", minus 1), '+', Call (Var "fib", minus 2)))
  in
  let sum =
    If (Op (Number 0, '<', Var "n"), Op (Op (Var "n", '*', Var "n"), '+', Call (Var "sum", minus 1)), Number 0)
  in
  let twice = Fun ("g", Fun ("x", Call (Var "g", Call (Var "g", Var "x")))) in
  let add = Fun ("y", Op (Var "y", '+', Number 3)) in
  Let_fun
    ( "fib", "n", fib,
      Let_fun
        ( "sum", "n", sum,
          Op
            ( Op (Call (Var "fib", Number n), '+', Call (Var "sum", Number (n * 20))),
              '+',
              Call (Call (twice, add), Number 5) ) ) )

let () =
  match eval Env.empty (program (int_of_string Sys.argv.(1))) with
  | Int n -> Printf.printf "%d\n" n
  | Closure _ -> print_endline "a function"
