(* Fifo: first in, first out. Two lists: what comes is put before `back`, what goes is taken from `front`. *)

structure Fifo :> sig
  type 'a fifo
  (* nothing in it *)
  val empty : 'a fifo
  (* with one more, the last one *)
  val add : 'a fifo * 'a -> 'a fifo
  (* the first one, and those behind it; NONE if there is nothing *)
  val take : 'a fifo -> ('a * 'a fifo) option
end =
struct
  type 'a fifo = 'a list * 'a list

  val empty = ([], [])
  fun add ((front, back), x) = (front, x :: back)
  fun take (x :: front, back) = SOME (x, (front, back))
    | take ([], []) = NONE
    | take ([], back) = case rev back of x :: front => SOME (x, (front, [])) | [] => NONE
end
