(* A vector is a value: what a continuation does that is entered again must not change one that was made before.

   expected (SML/NJ prints the same for the first two and the last):
     22 21 12 11
     22 21 12 11
     bb ba ab aa
     bb ba ab aa
     ab aB Ab AB
   found, with and without -O0:
     22 22 12 12
     22 22 12 12
     bb bb bb bb
     bb bb bb bb
     AB AB AB AB

   lib/basis/vector.sml, ArrayPrim'.tabulate (Vector.tabulate, map, mapi, those of slices, and of all Mono vectors), and
   lib/basis/string.sml, String.map and String.translate: the array is made first and filled by calls of the program's function.
   A continuation that the function has captured (SMLofNJ.Cont, MLton.Cont, Prompt.shift) and that is entered a second time
   goes on filling the same array, which is somebody's vector by then. *)
structure C = SMLofNJ.Cont
exception Done
val back : unit C.cont list ref = ref []
fun fail () = case !back of k :: rest => (back := rest; C.throw k ()) | [] => raise Done
fun amb xs =
  C.callcc (fn k => (app (fn x => C.callcc (fn next => (back := next :: !back; C.throw k x))) xs; fail ()))
fun all make show =
  let
    val found = ref []
  in
    (found := make () :: !found; fail ()) handle Done => ();
    print (String.concatWith " " (map show (!found)) ^ "\n")
  end
fun digits v = Vector.foldr (fn (i, s) => Int.toString i ^ s) "" v
val () = all (fn () => Vector.tabulate (2, fn _ => amb [1, 2])) digits
val () = all (fn () => Vector.map (fn _ => amb [1, 2]) #[0, 0]) digits
val () = all (fn () => String.map (fn _ => amb [#"a", #"b"]) "xy") (fn s => s)
val () = all (fn () => String.translate (fn _ => amb ["a", "b"]) "xy") (fn s => s)

(* the same by delimited control: the list monad *)
val p : string list Prompt.prompt = Prompt.new ()
val () =
  print (String.concatWith " " (Prompt.reset p (fn () =>
           [String.map (fn c => Prompt.shift p (fn k => k c @ k (Char.toUpper c))) "ab"])) ^ "\n")
