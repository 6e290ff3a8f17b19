(* Ordered maps: from whole numbers, and from strings; entries are added, found, taken away, and listed in order. *)

structure Ints = IntRedBlackMap
structure Strings = RedBlackMapFn (type ord_key = string val compare = String.compare)

fun next x = x * 16807 mod 2147483647

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))

fun repeat (0, _, m, _) = m
  | repeat (i, x, m, f) = repeat (i - 1, next x, f (x, m), f)

fun key x = "key" ^ Int.toString x

val ints = repeat (n, 1, Ints.empty, fn (x, m) => Ints.insertWith op + (m, x mod n, 1))
val found = repeat (n, 7, 0, fn (x, s) => s + getOpt (Ints.find (ints, x mod n), 0))

fun without (x, m) = #1 (Ints.remove (m, x mod n)) handle LibBase.NotFound => m

val fewer = repeat (n div 2, 11, ints, without)
val () =
  print (concat [Int.toString (Ints.numItems ints),
                 " ",
                 Int.toString found,
                 " ",
                 Int.toString (Ints.numItems fewer),
                 " ",
                 Int.toString (Ints.foldli (fn (k, v, s) => (s * 31 + k * v) mod 1000003) 0 fewer),
                 "\n"])

val strings =
  repeat (n, 3, Strings.empty, fn (x, m) => Strings.insertWith op + (m, key (x mod n), 1))
val found = repeat (n, 5, 0, fn (x, s) => s + getOpt (Strings.find (strings, key (x mod n)), 0))
val () =
  print (concat [Int.toString (Strings.numItems strings),
                 " ",
                 Int.toString found,
                 " ",
                 Int.toString
                   (Strings.foldli (fn (k, v, s) => (s * 31 + size k * v) mod 1000003) 0 strings),
                 "\n"])
