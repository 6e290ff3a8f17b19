(* Dynamic arrays, of any type and of one, against a list of items with a default: every function, with updates below
   the bound, one above it (an append), and far above it; and errors change nothing. *)

structure D = DynamicArray
structure M = DynamicArrayFn (IntArray)

val seed = ref 0w1
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.>> (!seed, 0w33)) mod n)

fun check (what, ok) = if ok then () else print ("wrong: " ^ what ^ "\n")
fun outcome f = (ignore (f ()); "") handle e => exnName e

(* The items up to the bound, and the default. *)
type model = string list * string

fun item ((l, default) : model, i) = if i < length l then List.nth (l, i) else default
fun updated ((l, default) : model, i, x) =
  (List.tabulate (Int.max (length l, i + 1), fn j => if i = j then x else item ((l, default), j)), default)
fun indexed l = ListPair.zip (List.tabulate (length l, fn i => i), l)

fun same (what, a, m as (l, default)) =
  (check (what ^ ", items", D.toList a = l);
   check (what ^ ", bound", D.bound a = length l - 1);
   check (what ^ ", default", D.default a = default);
   check (what ^ ", sub", List.all (fn i => D.sub (a, i) = item (m, i)) (List.tabulate (length l + 40, fn i => i))))

fun walks (a, (l, _)) =
  let
    fun seen walk =
      let val it = ref [] in walk (fn x => it := x :: !it); rev (!it) end
    val place = random (length l + 1)
    fun behind (i, x) = i >= place andalso x <> "b"
  in
    check ("appi", seen (fn f => D.appi f a) = indexed l);
    check ("app", seen (fn f => D.app f a) = l);
    check ("foldli", rev (D.foldli (fn (i, x, l) => (i, x) :: l) [] a) = indexed l);
    check ("foldri", D.foldri (fn (i, x, l) => (i, x) :: l) [] a = indexed l);
    check ("foldl", rev (D.foldl op :: [] a) = l);
    check ("foldr", D.foldr op :: [] a = l);
    check ("findi", D.findi behind a = List.find behind (indexed l));
    check ("find", D.find (fn x => x = "b") a = List.find (fn x => x = "b") l);
    check ("exists", D.exists (fn x => x = "b") a = List.exists (fn x => x = "b") l);
    check ("all", D.all (fn x => x = "b") a = List.all (fn x => x = "b") l);
    check ("toVector", D.toVector a = Vector.fromList l andalso D.vector a = D.toVector a)
  end

(* One array of strings, and one of ints that holds the strings' numbers. *)
fun number x = Char.ord (String.sub (x, 0))
fun text () = str (Char.chr (97 + random 5)) ^ ""

fun step (a, n, m as (l, default)) =
  let
    fun put i =
      let
        val x = text ()
      in
        D.update (a, i, x);
        M.update (n, i, number x);
        (a, n, updated (m, i, x))
      end
  in
    case random 12 of
      0 => put (random (2 * length l + 3))
    | 1 => if length l = 0 then put 0 else put (random (length l))
    | 2 =>
        let
          val k = random (length l + 5) - 2
          val rest = if k >= length l then l else List.take (l, Int.max (k, 0))
        in
          D.truncate (a, k);
          M.truncate (n, k);
          (a, n, (rest, default))
        end
    | 3 =>
        let
          val lo = random (length l + 2)
          val hi = lo + random 10 - 1
          fun part l = if lo >= length l then [] else List.take (List.drop (l, lo), Int.min (length l, hi + 1) - lo)
          val m = (part l, default)
        in
          same ("subArray", D.subArray (a, lo, hi), m);
          check ("mono subArray", M.toList (M.subArray (n, lo, hi)) = map number (#1 m));
          (a, n, (l, default))
        end
    | 4 =>
        let
          val m = (map (fn (i, x) => if i mod 2 = 0 then x else "e") (indexed l), default)
        in
          D.modifyi (fn (i, x) => if i mod 2 = 0 then x else "e") a;
          D.modify (fn x => x) a;
          List.app (fn (i, x) => M.update (n, i, number x)) (indexed (#1 m));
          (a, n, m)
        end
    | 5 =>
        (check ("sub outside", outcome (fn () => D.sub (a, ~1 - random 3)) = "Subscript");
         check ("update outside", outcome (fn () => D.update (a, ~1 - random 3, "x")) = "Subscript");
         check ("mono update outside", outcome (fn () => M.update (n, ~1 - random 3, 1)) = "Subscript");
         check ("too far", outcome (fn () => D.update (a, valOf Int.maxInt, "x")) = "Overflow");
         check ("too large", outcome (fn () => D.update (a, valOf Int.maxInt - 1, "x")) = "Size");
         (a, n, m))
    (* another item, once and again *)
    | _ => put (length l)
  end

fun run 0 = ()
  | run k =
      let
        val default = text ()
        val l = List.tabulate (random 5, fn _ => text ())
        val start =
          case random 4 of
            0 => (D.array (random 9, default), M.array (random 9, number default), ([], default))
          | 1 => (D.fromList (l, default), M.fromList (map number l, number default), (l, default))
          | 2 => (D.fromVector (Vector.fromList l, default), M.fromList (map number l, number default), (l, default))
          | _ =>
              (D.tabulate (length l, fn i => List.nth (l, i), default),
               M.tabulate (length l, fn i => number (List.nth (l, i)), number default),
               (l, default))
        fun go (_, 0) = ()
          | go ((a, n, m), k) =
              let
                val next as (a, n, m) = step (a, n, m)
              in
                same ("step", a, m);
                check ("mono", M.toList n = map number (#1 m) andalso M.bound n = D.bound a
                               andalso M.sub (n, length (#1 m) + 3) = number (#2 m));
                if k mod 8 = 0 then walks (a, m) else ();
                go (next, k - 1)
              end
      in
        go (start, 60);
        run (k - 1)
      end
val () = run 25
val () =
  check ("collate",
         D.collate String.compare (D.fromList (["a", "b"], ""), D.fromList (["a", "c"], "")) = LESS
         andalso D.collate String.compare (D.fromList (["a"], ""), D.fromList ([], "")) = GREATER)
val () = List.app (fn n => check ("negative", outcome (fn () => D.array (n, 0)) = "Size")) [~1, ~7]
val () = print "done\n"
