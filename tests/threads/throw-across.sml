(* Continuations thrown to by other threads than those that captured them. *)
open SMLofNJ.Cont
fun say s = print (s ^ "\n")
val show = Int.toString
val main = Thread.self ()

(* a child goes on with the main thread's frames; the main thread, which waits, goes on with them too *)
val () =
  let
    val done = ref 0
    val saved = ref NONE
    val x = callcc (fn k => (saved := SOME k; 0))
  in
    if x = 0 then
      (ignore (Thread.spawn (fn () => throw (valOf (!saved)) 7));
       while !done = 0 do Thread.yield ();
       say "main goes on")
    else
      (say ("child has " ^ show x ^ ", is " ^ (if Thread.self () = main then "main" else "another"));
       done := 1;
       Thread.exit ())
  end

(* the main thread goes on with a child's frames, below which the child's start is: so it throws back *)
val () =
  let
    val saved = ref NONE
    val back = ref NONE
    val text = callcc (fn out =>
      (back := SOME out;
       ignore (Thread.spawn (fn () =>
         let
           fun deep 0 = callcc (fn k => (saved := SOME k; 0))
             | deep n = 1 + deep (n - 1)
           val n = deep 300
         in
           if Thread.self () = main then throw (valOf (!back)) ("main saw " ^ show n) else ()
         end));
       while not (isSome (!saved)) do Thread.yield ();
       throw (valOf (!saved)) 1000))
  in
    say text
  end

(* a pool of continuations that many threads throw to: each wakes in frames that another one made *)
val () =
  let
    val n = 40
    val done : int CML.chan = CML.channel ()
    val box : int cont list ref = ref []
    fun frames (0, i) = callcc (fn k => (box := k :: !box; ~1))
      | frames (d, i) = let val x = frames (d - 1, i) in if x < 0 then x else x + 1 end
    fun body i () =
      let val x = frames (i mod 7 * 5, i)
      in
        if x >= 0 then CML.send (done, 1)
        else (CML.yield (); throw (hd (!box)) i)
      end
    fun sum 0 = 0
      | sum k = CML.recv done + sum (k - 1)
  in
    List.app (fn i => ignore (CML.spawn (body i))) (List.tabulate (n, fn i => i));
    say (show (sum n))
  end

(* what is thrown comes as it was, an immediate too: unit, a nullary constructor, a number, an object *)
datatype sign = Less | Equal | More of int

fun across (none, x) =
  let
    val saved = ref NONE
    val got = ref none
    val first = ref true
    val () =
      ignore (Thread.spawn (fn () =>
        let val x = callcc (fn k => (saved := SOME k; none))
        in
          if !first then first := false else (got := x; Thread.exit ())
        end))
    val () = while not (isSome (!saved)) orelse !first do Thread.yield ()
  in
    ignore (Thread.spawn (fn () => throw (valOf (!saved)) x));
    got
  end

val units =
  let
    val n = ref 0
    val saved = ref NONE
  in
    ignore (Thread.spawn (fn () => (callcc (fn k => saved := SOME k); n := !n + 1)));
    while !n = 0 do Thread.yield ();
    ignore (Thread.spawn (fn () => throw (valOf (!saved)) ()));
    n
  end
val signs = across (Less, Equal)
val more = across (Less, More 3)
val numbers = across (0, ~5)
val reals = across (0.0, 2.5)
val () = while !units < 2 orelse !numbers = 0 orelse !reals < 1.0 orelse !signs = Less orelse !more = Less do Thread.yield ()
val () = say (show (!units) ^ (case (!signs, !more) of (Equal, More n) => " equal, more by " ^ show n | _ => " wrong"))
val () = say (show (!numbers) ^ " " ^ Real.toString (!reals))

(* an empty stack that one thread made: for any thread, any number of times *)
val () =
  let
    val done : int CML.chan = CML.channel ()
    val depth = ref 0
    fun up () = depth := !depth + 1
    val k =
      let
        fun deep 0 = isolate (fn n => CML.send (done, n))
          | deep n = let val k = deep (n - 1) in up (); k end
      in
        deep 50
      end
    fun child n () = throw k n
    val () = List.app (fn n => ignore (CML.spawn (child n))) [1, 2, 3, 4]
  in
    say (show (List.foldl (fn (_, n) => n + CML.recv done) (!depth) [1, 2, 3, 4]))
  end
