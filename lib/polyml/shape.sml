(* Any value as its parts, for those who print it: PolyML.makestring, and the debugger.

   The compiler knows each type where it is used, inside of a polymorphic function too. *)

structure Shape' =
struct
  (* The compiler makes these; compiler/mono/src/describe.rs says what each constructor holds. The order counts, of the
     first eight; the others are leaves, known by their types. *)
  datatype shape =
      Other of string
    | Constant of string
    | Tuple of string * int * (int -> shape)
    | Record of string * int * (int -> shape)
    | Con of string * int * (int -> shape)
    | Ref of string * int * (int -> shape)
    | Array of string * int * (int -> shape)
    | Vector of string * int * (int -> shape)
    | Int of int
    | Int8 of Int8.int
    | Int16 of Int16.int
    | Int32 of Int32.int
    | Large of IntInf.int
    | Word of word
    | Word8 of Word8.word
    | Word16 of Word16.word
    | Word32 of Word32.word
    | Char of char
    | String of string
    | Real of real
    | Real32 of Real32.real
    | Exn of exn

  fun describe (x : 'a) : shape = (_prim "describe" : 'a -> shape) x
end
