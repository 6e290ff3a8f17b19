(* A check that raises between two allocations of one heap check leaves the second one's place as it was: the nursery
   is no row of whole objects any more (A1), and the collection that makes a nursery old where it is walks it.

   Expected (and -O0):  97360
   Found (optimised):   nothing: the eighth collection does not end; with --gc-verify "A1: header 0x0 in the nursery"

   compiler/translate/src/codegen.rs, `raise_block`. The stores to `kept` keep both cells from being moved over the
   check. *)

val kept : (int ref * int ref * int ref) list ref = ref []

fun f (a, k) =
  let
    val x = ref k
    val () = kept := (x, x, x) :: !kept
    val y = Array.sub (a, if k mod 40 = 0 then 3 else 0)
    val z = ref (y + k)
  in
    kept := (x, z, z) :: !kept;
    if k < 0 then f (a, k - 1) + 1 else y
  end

val a = Array.array (1, 5)
fun build 0 = ()
  | build n = (ignore (f (a, n) handle Subscript => 7); build (n - 1))
val () = build 400000
val () =
  print (Int.toString
           (foldl (fn ((ref x, ref y, ref z), s) => (s * 31 + x + y + z) mod 1000003) 0 (!kept))
         ^ "\n")
