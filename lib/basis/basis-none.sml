(* The types and exceptions that the language itself is explained by: of constants, conditions, lists, references and failing
   matches. *)

type 'a array = 'a array
datatype bool = datatype bool
type char = char
type exn = exn
type int = int
datatype list = datatype list
datatype ref = datatype ref
type real = real
type string = string
type substring = substring
type unit = unit
type 'a vector = 'a vector
type word = word

exception Bind = Bind
exception Match = Match
exception Overflow = Overflow

infix 4 =
