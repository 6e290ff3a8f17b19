(* Copies that are made in several pieces (of 16,384 elements): of the same array up and down, of elements that are
   references, with lengths around those of one and two pieces. *)

fun check (what, true) = print (what ^ " ok\n")
  | check (what, false) = print (what ^ " WRONG\n")

val piece = 16384
val lengths = [piece - 1, piece, piece + 1, 2 * piece - 1, 2 * piece + 1, 40000]

(* Element i of a is f i, for all in the range. *)
fun are (a, from, to, f) =
  from >= to orelse Array.sub (a, from) = f from andalso are (a, from + 1, to, f)

fun apart n =
  let
    val a = Array.tabulate (n, fn i => i)
    val b = Array.array (n + 10, ~1)
  in
    Array.copy {src = a, dst = b, di = 7};
    are (b, 0, 7, fn _ => ~1)
    andalso are (b, 7, n + 7, fn i => i - 7)
    andalso are (b, n + 7, n + 10, fn _ => ~1)
  end

fun within (n, by) =
  let
    val up = Array.tabulate (n + by, fn i => i)
    val down = Array.tabulate (n + by, fn i => i)
  in
    ArraySlice.copy {src = ArraySlice.slice (up, 0, SOME n), dst = up, di = by};
    ArraySlice.copy {src = ArraySlice.slice (down, by, NONE), dst = down, di = 0};
    are (up, 0, by, fn i => i)
    andalso are (up, by, n + by, fn i => i - by)
    andalso are (down, 0, n, fn i => i + by)
    andalso are (down, n, n + by, fn i => i)
  end

val () = check ("apart", List.all apart lengths)
val () =
  check ("within",
         List.all (fn n => List.all (fn by => within (n, by)) [0, 1, 100, piece, 30000]) lengths)

(* Old arrays get young objects: each must be found by the next collection. *)
val some = Vector.tabulate (10, fn i => [i])
fun some' i = Vector.sub (some, i mod 10)
val lists = Array.array (40000, [])
val () =
  let
    val new = Vector.tabulate (40000, some')
    val () = Array.copyVec {src = new, dst = lists, di = 0}
    val more = Vector.concat [new, new]
    fun is (i, l) = l = [i mod 10]
  in
    check ("references", Array.foldli (fn (i, l, ok) => ok andalso is (i, l)) true lists);
    check ("concat",
           Vector.length more = 80000
           andalso Vector.foldli (fn (i, l, ok) => ok andalso is (i, l)) true more)
  end

(* An array of 4 MB whose first element is new. *)
val large = Array.array (530000, ["new"])
val () = Array.update (large, 1000, ["newer"])
val () =
  check ("large",
         Array.sub (large, 0) = ["new"]
         andalso Array.sub (large, 529999) = ["new"]
         andalso Array.sub (large, 1000) = ["newer"])
