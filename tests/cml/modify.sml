(* SyncVar.mModify: the value is changed by a function, and is there again whatever becomes of that: it raises, is cancelled, or
   ends its thread. By hand the last two were forgotten, and whoever came next waited for ever. *)
open CML
val cell = SyncVar.mVarInit 0
fun show what = print (concat [what, ": ", Int.toString (SyncVar.mGet cell), "\n"])

(* many threads, each of which waits within its change *)
fun add 0 = ()
  | add n = (SyncVar.mModify (cell, fn x => (yield (); (x + 1, ()))); add (n - 1))
val threads = List.tabulate (10, fn _ => spawn (fn () => add 20))
val () = app (fn t => sync (joinEvt t)) threads
val () = show "200 changes"

val () = print (SyncVar.mModify (cell, fn x => (x + 1, "its result\n")))
val () = show "one more"

val () =
  SyncVar.mModify (cell, fn _ => raise Fail "raised") handle Fail why => print (why ^ "\n")
val () = show "behind an exception"

val () = sync (joinEvt (spawn (fn () => SyncVar.mModify (cell, fn _ => exit ()))))
val () = show "behind CML.exit"

(* cancelled within the function, and while it waits for its turn *)
exception Enough
fun cancelled () =
  let
    val isIn = SyncVar.iVar ()
    fun wait x = (SyncVar.iPut (isIn, ()); (x + 1, sync never))
    fun both scope =
      (ignore (Scope.fork scope (fn () => SyncVar.mModify (cell, wait)));
       SyncVar.iGet isIn;
       ignore (Scope.fork scope (fn () => SyncVar.mModify (cell, fn x => (x + 1, ()))));
       yield ();
       raise Enough)
  in
    Scope.run both handle Enough => ()
  end
val () = cancelled ()
(* The second one had its turn behind the first one, or not. *)
val () = print (if SyncVar.mGet cell - 201 < 2 then "cancelled: one change at most\n" else "another value\n")

(* somebody else has put a value *)
val () =
  SyncVar.mModify (cell, fn x => (SyncVar.mPut (cell, 7); (x, ())))
  handle SyncVar.Put => print "Put\n"
val () = show "put by another"
