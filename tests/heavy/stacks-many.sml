(* A million of what shiftOnce takes, called and dropped, one after the other and many at a time: nothing of them stays, and
   lanes are used again. *)
open Prompt
fun say s = print (s ^ "\n")
val show = Int.toString
val p : int prompt = new ()
val u : unit prompt = new ()

fun live () = (MLton.GC.collect (); Leat.GC.liveBytes ())
val start = live ()
fun check what =
  let val more = live () - start
  in say (what ^ (if more < 1000000 then "" else ": " ^ show more ^ " bytes stay") ^
      (if Leat.Scheduler.lanes () <= 64 then "" else ": " ^ show (Leat.Scheduler.lanes ()) ^ " lanes")) end

(* one body, a million times *)
val () =
  let
    val next : (unit -> unit) option ref = ref NONE
    val sum = ref 0
    fun body 0 = next := NONE
      | body n = (shiftOnce u (fn k => (sum := (!sum + n) mod 65521; next := SOME k)); body (n - 1))
    fun go () = case !next of NONE => () | SOME k => (k (); go ())
  in
    reset u (fn () => body 1000000);
    go ();
    say (show (!sum));
    check "called"
  end

(* bodies that are dropped where they wait *)
val () =
  let fun go (0, sum) = sum
        | go (n, sum) = go (n - 1, sum + reset p (fn () => 1 + shiftOnce p (fn _ => 2)))
  in
    say (show (go (300000, 0)));
    check "dropped"
  end

(* that end at once *)
val () =
  let fun go (0, sum) = sum
        | go (n, sum) = go (n - 1, sum + reset p (fn () => n mod 3))
  in
    say (show (go (300000, 0)));
    check "ended"
  end

(* that wait all at the same time, a frame deep and more *)
val waiting : (unit -> unit) list ref = ref []
val sum = ref 0
fun deep 0 = shiftOnce u (fn k => waiting := k :: !waiting)
  | deep n = (deep (n - 1); sum := !sum + n)
val () =
  let
    fun go 0 = () | go n = (reset u (fn () => (deep (n mod 20); deep (n mod 3))); go (n - 1))
    fun round () = let val all = !waiting in waiting := []; app (fn k => k ()) all end
  in
    go 30000;
    say (show (length (!waiting)));
    round ();
    say (show (length (!waiting)));
    round ();
    say (show (length (!waiting)) ^ " " ^ show (!sum))
  end

(* below a recursion a million deep *)
fun far 0 = let fun go 0 = 0 | go n = shiftOnce p (fn k => k n) + go (n - 1) in go 1000 end
  | far n = 1 + far (n - 1)
val () = say (show (reset p (fn () => far 1000000)))
val () = say (show (reset p (fn () => far 1000000)))

(* a stack that is used up in a body *)
fun forever n = 1 + forever (n + 1)
val () = say (show (reset p (fn () => forever 0)) handle StackOverflow => "overflow")
val () = say (show (reset p (fn () => 1 + shiftOnce p (fn k => k 1))))
