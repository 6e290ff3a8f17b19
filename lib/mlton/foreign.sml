(* Foreign: functions of SML that C calls by an address, which `_export *` gives. *)
signature FOREIGN =
sig
  val free : pointer -> unit
  (* C does not call the function of this address any more, and what it holds may be collected. Raises Fail if the address is
     none of `_export *`, or was freed before. A program in which C calls one that was freed ends with a message. *)
end

structure Foreign :> FOREIGN =
struct
  fun free p = PrimForeign'.foreign_free (MLtonMemory'.to_word p)
end
