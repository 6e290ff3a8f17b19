(* Each of several threads that asked for a property first got a value of its own, and a property that was set while
   another one was could be lost. *)
open CML

val cell : PropList.holder -> unit ref =
  #getFn (PropList.newProp (fn h => h, fn _ => (yield (); ref ())))
val numbers = Vector.tabulate (8, fn _ => PropList.newProp (fn h : PropList.holder => h, fn _ => ~1))

fun all f =
  let
    val results = SyncVar.mVarInit []
    fun one i = let val x = f i in SyncVar.mPut (results, x :: SyncVar.mTake results) end
  in
    app (sync o joinEvt) (List.tabulate (8, fn i => spawn (fn () => one i)));
    SyncVar.mTake results
  end

fun round () =
  let
    val holder = PropList.newHolder ()
    val cells =
      all (fn i =>
        let
          val {setFn, clrFn, ...} = Vector.sub (numbers, i)
          fun set 0 = setFn (holder, i)
            | set n = (setFn (holder, n); clrFn holder; set (n - 1))
        in
          set 20;
          cell holder
        end)
    fun isSet (i, {peekFn, ...} : {peekFn : PropList.holder -> int option, getFn : PropList.holder -> int,
                                   setFn : PropList.holder * int -> unit, clrFn : PropList.holder -> unit}) =
      peekFn holder = SOME i
  in
    List.all (fn c => c = hd cells) cells
    andalso Vector.foldli (fn (i, p, ok) => ok andalso isSet (i, p)) true numbers
  end
val () = print (if List.all round (List.tabulate (100, fn _ => ())) then "one value each\n" else "lost or twice\n")

(* What `init` itself has set is replaced by its result, as ever. *)
val holder = PropList.newHolder ()
val later = ref (fn (_ : PropList.holder) => ())
val {getFn, setFn, ...} = PropList.newProp (fn h => h, fn h => (! later h; 2))
val () = later := (fn h => setFn (h, 1))
val () = print (Int.toString (getFn holder) ^ Int.toString (getFn holder) ^ "\n")
