(* An interpreter of a small language: environments are maps of strings, programs are trees. *)

structure Env = RedBlackMapFn (type ord_key = string val compare = String.compare)

datatype exp =
    Number of int
  | Var of string
  | Op of exp * char * exp
  | If of exp * exp * exp
  | Fun of string * exp
  | Call of exp * exp
  | LetFun of string * string * exp * exp

datatype value = Int of int | Closure of string * exp * value Env.map ref

fun eval (env, e) =
  case e of
    Number n => Int n
  | Var x => Env.lookup (env, x)
  | Op (a, oper, b) =>
      (case (eval (env, a), eval (env, b)) of
         (Int x, Int y) =>
           Int
             (case oper of
                #"+" => x + y
              | #"-" => x - y
              | #"*" => x * y mod 1000003
              | _ => if x < y then 1 else 0)
       | _ => raise Fail "numbers are wanted")
  | If (c, a, b) => (case eval (env, c) of Int 0 => eval (env, b) | _ => eval (env, a))
  | Fun (x, body) => Closure (x, body, ref env)
  | Call (f, a) =>
      (case eval (env, f) of
         Closure (x, body, closed) => eval (Env.insert (!closed, x, eval (env, a)), body)
       | _ => raise Fail "a function is wanted")
  | LetFun (f, x, body, rest) =>
      let
        val closed = ref env
        val env = Env.insert (env, f, Closure (x, body, closed))
      in
        closed := env;
        eval (env, rest)
      end

(* fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2); fun sum n = ..; twice *)
fun program n =
  let
    fun minus k = Op (Var "n", #"-", Number k)
    val fib =
      If (Op (Var "n", #"<", Number 2),
          Var "n",
          Op (Call (Var "fib", minus 1), #"+", Call (Var "fib", minus 2)))
    val sum =
      If (Op (Number 0, #"<", Var "n"),
          Op (Op (Var "n", #"*", Var "n"), #"+", Call (Var "sum", minus 1)),
          Number 0)
    val twice = Fun ("g", Fun ("x", Call (Var "g", Call (Var "g", Var "x"))))
    val add = Fun ("y", Op (Var "y", #"+", Number 3))
  in
    LetFun ("fib",
            "n",
            fib,
            LetFun ("sum",
                    "n",
                    sum,
                    Op (Op (Call (Var "fib", Number n), #"+", Call (Var "sum", Number (n * 20))),
                        #"+",
                        Call (Call (twice, add), Number 5))))
  end

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val () =
  case eval (Env.empty, program n) of
    Int n => print (Int.toString n ^ "\n")
  | Closure _ => print "a function\n"
