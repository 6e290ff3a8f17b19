(* LibBase: the exceptions that the whole library shares. *)

signature LIB_BASE =
sig
  exception Unimplemented of string
  (* A feature that is not there; the string names it. *)

  exception Impossible of string
  (* An internal invariant does not hold. *)

  exception NotFound
  (* Raised by searches without a result of option type. *)

  val failure : {module : string, func : string, msg : string} -> 'a
  (* Raises Fail "module.func: msg". *)
end

structure LibBase : LIB_BASE =
struct
  exception Unimplemented of string
  exception Impossible of string
  exception NotFound

  fun failure {module, func, msg} = raise Fail (module ^ "." ^ func ^ ": " ^ msg)
end
