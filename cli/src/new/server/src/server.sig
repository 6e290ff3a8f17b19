(* A server that answers each line by another one. *)

signature SERVER =
sig
  type listener

  (* on the machine's own address; port 0 is any port that is free *)
  val listen : int -> listener
  val port : listener -> int
  (* Each client has a thread of its own. Does not return. *)
  val serve : listener * (string -> string) -> 'a
end
