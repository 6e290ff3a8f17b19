(* Prompts, whose bodies run on stacks of their own: what is taken once, dropped, called again; nested prompts; exceptions on both
   sides; a deep stack; other threads, that wait and that compute, and continuations of the whole stack. *)
open Prompt
fun say s = print (s ^ "\n")
val show = Int.toString

val p : int prompt = new ()
val q : int prompt = new ()
val u : unit prompt = new ()

(* once *)
val () = say (show (reset p (fn () => 7)))
val () = say (show (1 + reset p (fn () => 10 + shiftOnce p (fn k => k 90))))
val () = say (show (reset p (fn () => 10 + shiftOnce p (fn _ => 3))))
val () = say (show (reset p (fn () => 10 + shiftOnce p (fn k => k 1 + (k 2 handle Called => 1000)))))
val () = say (show (shiftOnce p (fn _ => 0)) handle NoPrompt => "no prompt")
val () = say (show (reset p (fn () => shiftOnce p (fn _ => shiftOnce p (fn _ => 0)))) handle NoPrompt => "no prompt")
(* the prompt is there again when what was taken runs: it is taken three times *)
val () = say (show (reset p (fn () =>
  let
    fun more 0 = 0
      | more n = shiftOnce p (fn k => 10 * k n) + more (n - 1)
  in more 3 end)))

(* what is taken may be called outside of the function, and of the reset *)
val saved : (int -> int) option ref = ref NONE
fun keep k = (saved := SOME k; 0)
val () = say (show (reset p (fn () => 5 + shiftOnce p keep)))
val () = say (show (100 + valOf (!saved) 6))
val () = say (show (valOf (!saved) 7) handle Called => "called")

(* out of several: the inner ones go with it and come back *)
val () = say (show (reset p (fn () =>
  1 + reset q (fn () => 2 * reset q (fn () =>
    3 * shiftOnce p (fn k => 1000 + k 5) + shiftOnce q (fn k => k 1 + 100))))))
val () = say (show (reset p (fn () => 1 + reset q (fn () => 2 * abort p (fn () => 4)))))
(* likewise, called again: q stands in what is taken, with its own stack each time *)
val () = say (show (reset p (fn () =>
  1 + reset q (fn () => 2 * reset q (fn () =>
    3 * shift p (fn k => k 5 + k 6 + k 7) + shift0 q (fn k => k 1 + k 2))))))
(* a function that is called while it runs *)
val () = say (show (reset p (fn () =>
  let val n = shift p (fn k => (saved := SOME k; k 3))
  in if n = 0 then 1 else n * valOf (!saved) (n - 1) end)))
(* what is taken once, in what is called twice *)
val () = say (show (reset q (fn () =>
  reset p (fn () => shiftOnce p (fn k => shift q (fn again => again 1 + (again 2 handle Called => 500)) + k 10)))))
(* a variable is one, though the frames are two *)
val () = say (show (reset p (fn () =>
  let
    val count = ref 0
    val n = shift p (fn k => k 1 + k 2 + k 3)
  in
    count := !count + n; !count
  end)))

(* exceptions *)
exception E of string
val () = say ((reset u (fn () => raise E "from the body"); "none") handle E s => s)
val () = say ((reset u (fn () => (shiftOnce u (fn k => k ()); raise E "through the function")); "none") handle E s => s)
val () =
  reset u (fn () =>
    (shiftOnce u (fn k => (k () handle E s => say ("outside: " ^ s)));
     (raise E "first") handle E s => say ("inside: " ^ s);
     raise E "second"))
val () = say (show (reset p (fn () => (shiftOnce p (fn _ => raise E "in the function")) handle E _ => 1)) handle E s => s)
val () = say (show (reset p (fn () => reset q (fn () => shiftOnce p (fn k => k 1 handle E s => size s) + (raise E "four")) handle Fail _ => 0)))
val () = say (show (reset p (fn () => 1 + (hd (tl [shiftOnce p (fn k => k 1)]) handle Empty => 41))))

(* deep stacks *)
fun deep 0 = shiftOnce p (fn k => k 1 + 1)
  | deep n = 1 + deep (n - 1)
val () = say (show (reset p (fn () => deep 3000)))
fun visit (0, _) = ()
  | visit (n, f) = (f n; visit (n - 1, f); f (~n); if n mod 7 = 0 then visit (n div 7, f) else ())
fun sumOf shift =
  let
    val sum = ref 0
    val next : (unit -> unit) option ref = ref NONE
    fun give n = shift u (fn k => (sum := (31 * !sum + n) mod 1000003; next := SOME k))
    fun go () = case !next of NONE => !sum | SOME k => (next := NONE; k (); go ())
  in
    reset u (fn () => visit (120, give));
    go ()
  end
val () = say (show (sumOf shiftOnce) ^ " " ^ show (sumOf shift0) ^ " " ^ show (sumOf shift))

(* a thread is the same inside, with its name, and may wait there *)
val main = Thread.self ()
val () = say (reset (new ()) (fn () => if Thread.self () = main then "main" else "another"))
val () =
  let
    val c : int CML.chan = CML.channel ()
    val there : int CML.chan = CML.channel ()
    fun child id () =
      let val sum = reset p (fn () =>
        let
          fun go 0 = 0
            | go n = CML.recv c + shiftOnce p (fn k => (CML.yield (); k (id * n))) + go (n - 1)
        in go 5 end)
      in CML.send (there, sum) end
  in
    List.app (fn id => ignore (CML.spawn (child id))) [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];
    List.app (fn n => CML.send (c, n)) (List.tabulate (70, fn i => i));
    say (show (foldl op+ 0 (List.tabulate (14, fn _ => CML.recv there))))
  end

(* what one thread takes another calls; each has its own prompts below *)
val () =
  let
    val work : (int -> int) Mailbox.mbox = Mailbox.mailbox ()
    val there : int CML.chan = CML.channel ()
    fun giver id () =
      CML.send (there, reset p (fn () =>
        let fun go 0 = id | go n = shiftOnce p (fn k => (Mailbox.send (work, k); 0)) + go (n - 1)
        in go 4 end))
    fun worker () =
      let val k = Mailbox.recv work
      in CML.send (there, reset q (fn () => k 1)); worker () end
  in
    List.app (fn id => ignore (CML.spawn (giver id))) [100, 200, 300];
    List.app (fn _ => ignore (CML.spawn worker)) [1, 2];
    say (show (foldl op+ 0 (List.tabulate (15, fn _ => CML.recv there))))
  end

(* likewise, called by several *)
val () =
  let
    val there : int CML.chan = CML.channel ()
    fun child k n () = CML.send (there, k n)
    val _ = reset p (fn () =>
      1 + reset q (fn () => 10 * shift p (fn k => (List.app (fn n => ignore (CML.spawn (child k n))) [1, 2, 3, 4]; 0))))
  in
    say (show (foldl op+ 0 (List.tabulate (4, fn _ => CML.recv there))))
  end

(* continuations of a whole stack: out of a body, and back into one that still waits *)
local open SMLofNJ.Cont in
  val () = say (show (callcc (fn out => reset p (fn () => throw out 8))))
  val () = say (show (reset p (fn () => 1 + callcc (fn k => 2 * throw k 20))))
  val () =
    let val tries = ref 0
    in
      say (show (reset p (fn () =>
        let val n = callcc (fn k => (reset q (fn () => throw k 1)))
        in tries := !tries + 1; n + shiftOnce p (fn k => k (!tries)) end)))
    end
end
