(* JSON: the values of the JSON library. *)

structure JSON =
struct
  datatype value =
      OBJECT of (string * value) list
    | ARRAY of value list
    | NULL
    | BOOL of bool
    | INT of IntInf.int
    | FLOAT of real
    | STRING of string
  (* Strings are UTF-8. *)
end
