(* Inside of `val x = ...` the name `x` is not known, but inside of a structure of this name that is not why. *)

structure Queue =
struct
  datatype 'a t = Q of 'a list
  val empty = Queue []
end

functor Tree () = struct val leaf = Tree end
val width = fn 0 => 1 | n => width (n - 1)
