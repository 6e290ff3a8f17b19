(* Strings and arrays of up to 256 bytes are made and copied where the call is, longer ones by way of the runtime's own stack.
   Both give the same, at every length around the border and around the sizes that are copied at once; and so it is when the
   nursery has no room, or a collection comes in between. *)

fun text (n, from) = String.implode (List.tabulate (n, fn i => Char.chr (33 + (from + i) mod 90)))

fun expect (what, n, is, should) =
  if is = should then () else print (what ^ " at " ^ Int.toString n ^ ": " ^ is ^ " for " ^ should ^ "\n")

val lengths = List.tabulate (70, fn i => i) @ [100, 127, 128, 129, 200, 254, 255, 256, 257, 258, 300, 511, 513, 1000]

fun joined l = String.implode (List.concat (List.map String.explode l))

val () =
  List.app
    (fn n =>
       let
         val s = text (n, 0)
         val t = text (n div 3, 50)
       in
         expect ("^", n, s ^ t, joined [s, t]);
         expect ("^ reversed", n, t ^ s, joined [t, s]);
         expect ("concat", n, String.concat [t, "", s, "-", t], joined [t, s, "-", t]);
         expect ("concat of one", n, String.concat [s], s);
         expect ("concatWith", n, String.concatWith ", " [s, t, "", s], joined [s, ", ", t, ", ", ", ", s]);
         expect ("concatWith a long one", n, String.concatWith s ["a", "b", "c"], joined ["a", s, "b", s, "c"]);
         expect ("substring", n, String.substring (s ^ t, n div 2, n div 3), String.implode (List.take (List.drop (String.explode (s ^ t), n div 2), n div 3)));
         expect ("extract", n, String.extract ("xyz" ^ s, 3, NONE), s);
         expect ("padLeft", n, StringCvt.padLeft #"*" n "abc", if n <= 3 then "abc" else joined [String.implode (List.tabulate (n - 3, fn _ => #"*")), "abc"]);
         expect ("padRight", n, StringCvt.padRight #"*" n "abc", if n <= 3 then "abc" else joined ["abc", String.implode (List.tabulate (n - 3, fn _ => #"*"))]);
         expect ("tokens", n, String.concatWith "+" (String.tokens (fn c => c = #" ") ("  " ^ s ^ " " ^ t ^ " ")),
                 if n = 0 then "" else if t = "" then s else joined [s, "+", t])
       end)
    lengths

(* each size of element; references are filled too, and survive *)
fun sums (what, make, sub, value, n) =
  let
    val a = make (n, value)
    val rest = List.tabulate (50, fn i => make (i, value))
    fun all i = i = n orelse (sub (a, i) = value andalso all (i + 1))
  in
    if all 0 andalso List.length rest = 50 then () else print (what ^ " at " ^ Int.toString n ^ "\n")
  end

val () =
  List.app
    (fn n =>
       (sums ("char", CharArray.array, CharArray.sub, #"q", n);
        sums ("word8", Word8Array.array, Word8Array.sub, 0wxab, n);
        sums ("int", Array.array, Array.sub, ~5000000000, n);
        sums ("bool", Array.array, Array.sub, true, n);
        sums ("string", Array.array, Array.sub, "a" ^ Int.toString n, n);
        if RealArray.foldl op + 0.0 (RealArray.array (n, 0.5)) <= real n * 0.5 then () else print "real\n"))
    lengths

(* copies inside one array overlap *)
val () =
  List.app
    (fn n =>
       let
         val a = CharArray.tabulate (n + 7, fn i => Char.chr (33 + i mod 90))
         val old = CharArray.vector a
         val () = CharArraySlice.copy {src = CharArraySlice.slice (a, 0, SOME n), dst = a, di = 7}
       in
         expect ("copy", n, CharArray.vector a, joined [String.substring (old, 0, Int.min (7, n + 7)), String.substring (old, 0, n)])
       end)
    lengths

fun ints 0 = [] | ints n = n :: ~n :: (n - 1) :: ints (Int.quot (n, 10))
  handle Overflow => ints (n + 1)
val () = print (String.concatWith " " (List.map Int.toString ([0, 5, 10, 99, 100, 101, 12345, valOf Int.minInt, valOf Int.maxInt] @ ints 1000000)) ^ "\n")

val () = (ignore (StringCvt.padLeft #" " (valOf Int.maxInt) "x"); print "too long\n") handle Size => print "Size\n"
val () = print (StringCvt.padLeft #" " (valOf Int.minInt) "short" ^ "\n")
