(* A suspension that several threads forced ran as often as threads came before its first run was over, and they got
   different values. One runs it, the others wait; an exception is that thread's, and the next one runs it again.
   Whoever ends in the midst lets the next one run it. *)
open CML
structure Susp = SMLofNJ.Susp

fun all n f = app (sync o joinEvt) (List.tabulate (n, fn i => spawn (fn () => f i)))

(* made anew in each run: all have the same cell *)
fun round (waits, threads) =
  let
    val runs = SyncVar.mVarInit 0
    val s =
      Susp.delay (fn () =>
        (SyncVar.mPut (runs, SyncVar.mTake runs + 1);
         if waits then OS.Process.sleep (Time.fromMilliseconds 5) else Thread.yield ();
         ref 0))
    val found = SyncVar.mVarInit []
    val () =
      all threads (fn _ => let val x = Susp.force s in SyncVar.mPut (found, x :: SyncVar.mTake found) end)
    val cells = SyncVar.mTake found
  in
    SyncVar.mTake runs = 1 andalso length cells = threads andalso List.all (fn c => c = hd cells) cells
  end
val () = print (if List.all round (List.tabulate (50, fn i => (i < 3, 2 + i mod 7))) then "once\n" else "more than once\n")

(* the third run gives a value *)
exception Not of int
val () =
  let
    val runs = SyncVar.mVarInit 0
    val s =
      Susp.delay (fn () =>
        let
          val n = SyncVar.mTake runs + 1
        in
          SyncVar.mPut (runs, n);
          Thread.yield ();
          if n < 3 then raise Not n else n
        end)
    val results = SyncVar.mVarInit []
    fun note x = SyncVar.mPut (results, x :: SyncVar.mTake results)
    val () = all 6 (fn _ => note (Susp.force s) handle Not n => note (~n))
    fun insert (x, []) = [x]
      | insert (x, y :: l) = if x <= y then x :: y :: l else y :: insert (x, l)
  in
    print (String.concatWith " " (map Int.toString (foldl insert [] (SyncVar.mTake results))) ^ "\n")
  end

(* the first one ends in the midst, the second is cancelled while it waits *)
val () =
  let
    val begun = SyncVar.iVar ()
    val may = SyncVar.iVar ()
    val runs = ref 0
    val s =
      Susp.delay (fn () =>
        (runs := !runs + 1;
         if !runs = 1 then (SyncVar.iPut (begun, ()); SyncVar.iGet may; exit ()) else "later"))
    val first = spawn (fn () => ignore (Susp.force s))
    val () = SyncVar.iGet begun
    val () =
      case Scope.within (Time.fromMilliseconds 5) (fn _ => Susp.force s) of
        NONE => print "cancelled\n"
      | SOME x => print (x ^ "\n")
    val third = spawn (fn () => print (Susp.force s ^ "\n"))
  in
    Thread.yield ();
    SyncVar.iPut (may, ());
    sync (joinEvt first);
    sync (joinEvt third);
    print (Int.toString (!runs) ^ " runs\n")
  end
