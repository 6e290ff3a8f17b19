(* Fifo: first in, first out. Two lists: what comes is put before `back`, what goes is taken from `front`. *)

structure Fifo :>
sig
  type 'a fifo
  val empty : 'a fifo
  val add : 'a fifo * 'a -> 'a fifo
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
