(* General: what every program uses without naming it.

   The builtin exceptions have fixed descriptors in the runtime, which raises them itself; here they only get their
   places in the structure. *)

signature GENERAL =
sig
  eqtype unit
  type exn = exn

  exception Bind
  exception Match
  exception Chr
  exception Div
  exception Domain
  exception Fail of string
  exception Overflow
  exception Size
  exception Span
  exception Subscript

  datatype order = LESS | EQUAL | GREATER

  (* the constructor's name, as it was declared *)
  val exnName : exn -> string
  (* the name and, where it can be shown, the argument *)
  val exnMessage : exn -> string

  (* What the cell has. *)
  val ! : 'a ref -> 'a
  (* Puts the value in the cell. *)
  val := : 'a ref * 'a -> unit
  (* `(f o g) x` is `f (g x)`. *)
  val o : ('b -> 'c) * ('a -> 'b) -> 'a -> 'c
  (* The first value; the second is evaluated after it, for its effect. *)
  val before : 'a * unit -> 'a
  (* `()`, whatever the value. *)
  val ignore : 'a -> unit
end

structure General : GENERAL =
struct
  type unit = unit
  type exn = exn

  exception Bind = Bind
  exception Match = Match
  exception Chr = Chr
  exception Div = Div
  exception Domain = Domain
  exception Fail = Fail
  exception Overflow = Overflow
  exception Size = Size
  exception Span = Span
  exception Subscript = Subscript

  datatype order = LESS | EQUAL | GREATER

  val op ! = PrimRefs'.ref_get : 'a ref -> 'a
  val op := = PrimRefs'.ref_set : 'a ref * 'a -> unit
  fun (f o g) x = f (g x)
  fun x before () = x
  fun ignore _ = ()

  local
    val concat = PrimStrings'.string_concat
    val argKind = PrimExceptions'.exn_arg_kind
    val argString = PrimExceptions'.exn_arg_string
    val argInt = PrimExceptions'.exn_arg_int
    val intToString = PrimInts'.int_to_string
  in
    val exnName = PrimExceptions'.exn_name
    fun exnMessage e =
      case argKind e of
        1 => concat (exnName e, concat (": ", argString e))
      | 2 => concat (exnName e, concat (" ", intToString (argInt e)))
      | _ => exnName e
  end
end

open General
