(* The types and exceptions that the language itself is explained by: of constants, conditions, lists, references and failing
   matches. `int` and `word` are replicated, with what they are in C. *)

type 'a array = 'a array
datatype bool = datatype bool
type char = char
type exn = exn
datatype int = datatype int
datatype list = datatype list
datatype ref = datatype ref
type real = real
type string = string
type substring = substring
type unit = unit
type 'a vector = 'a vector
datatype word = datatype word

exception Bind = Bind
exception Match = Match
exception Overflow = Overflow

infix 4 =
