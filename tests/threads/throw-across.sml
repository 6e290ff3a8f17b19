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
