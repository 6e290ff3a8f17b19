(* Two closures that capture each other, behind many other allocations of the same block.

   Run with --nursery=256K, or --gc-stress.

   Expected (and -O0):  819147
   Found (optimised):   "the program crashed: invalid memory access"

   compiler/ssa/src/safepoint.rs, `heap_checks`, with from_mono.rs, `closures`. The store that ties `f` to `g` has no
   write barrier, since the allocations of a group are covered by one heap check. But the group's bytes are added to
   those of what the block has allocated before: 83 list cells (1992 bytes) and `f` (40) fit MAX_CHECK, `g` (32) does
   not, so `heap_check 32` comes between `f` and `g`. If it collects, `f` is old and `g` is young, and nobody is told
   of the store. *)

fun test (x, k) =
  let
    val l =
      [ x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
      x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
      x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
      x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x,
      x, x, x, x ]
    fun f 0 = x
      | f n = 1 + (if n mod 3 = 0 then foldl (fn (a, b) => g (a - a) + b) 0 l else hd (map g [n - 1]))
    and g 0 = x + 1
      | g n = 2 + hd (map f [n - 1])
  in
    k (l, f, g)
  end

val last = Array.array (1000, fn (n : int) => n)
val at = ref 0
val some = ref nil : int list ref
fun keep (l : int list, f, g : int -> int) =
  ( at := (!at + 1) mod 1000
  ; Array.update (last, !at, f)
  ; some := List.tabulate (!at mod 13, fn i => i)
  ; Array.sub (last, (!at * 7) mod 1000) 2
  )

(* So that nothing is known when compiling. *)
val n = length (CommandLine.arguments ())
val k = List.nth ([keep, fn _ => 0], n)
val t = List.nth ([test, fn _ => 1], n)

fun loop (0, sum) = sum
  | loop (i, sum) = loop (i - 1, (sum + t (i, k)) mod 1000007)
val sum = loop (1000000, 0)
val () = print (Int.toString (sum + length (!some)) ^ "\n")
