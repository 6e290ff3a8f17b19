(* Outside': what a program has outside of the heap, such as memory of C and files that a library has open. *)

structure Outside' : sig
  (* Makes of what the cell has what the function says, however many threads do so: what it has then. *)
  val change : int ref * (int -> int) -> int

  (* how much there is of something that the collector does not see *)
  type account
  (* How much there may be at first, and what the limit never falls below; that is asked behind a collection. *)
  val account : int * (unit -> int) -> account
  (* There is so much more. When there is twice as much as behind the last collection for its sake, another one looks for
     what is dead. *)
  val hold : account * int -> unit
  (* There is so much less. *)
  val release : account * int -> unit

  (* Comes before the first finalizer is added that asks `isEnding`. *)
  val awaitEnd : unit -> unit
  (* Whether the program ends: then finalizers are called for what it can still reach, too. *)
  val isEnding : unit -> bool
end =
struct
  fun change (cell, f) =
    let
      val now = Unsafe.Wait.look cell
      val next = f now
    in
      if Unsafe.Wait.swap (cell, now, next) then next else change (cell, f)
    end

  type account = {held : int ref, most : int ref, least : unit -> int}
  fun account (most, least) : account = {held = ref 0, most = ref most, least = least}

  (* Who says how much there is may say anything. The sum wraps around, so that what comes in goes out again. *)
  fun plus n m = Word.toIntX (Word.+ (Word.fromInt m, Word.fromInt n))
  fun hold ({held, most, least} : account, n) =
    if change (held, plus n) <= Unsafe.Wait.look most then ()
    else
      (MLton.GC.collect ();
       let
         val least = least ()
         val now = Unsafe.Wait.look held
         val limit = Int.max (least, 2 * now handle Overflow => now)
       in
         ignore (change (most, fn _ => limit))
       end)
  fun release ({held, ...} : account, n) = ignore (change (held, plus (~ n)))

  val ending = ref false
  val isAwaited = ref false
  (* What is to be done at the end is done in the opposite order, so this comes before the finalizers. *)
  fun awaitEnd () =
    if Unsafe.Wait.swap (isAwaited, false, true) then
      OS.Process.atExit (fn () => ignore (Unsafe.Wait.swap (ending, false, true)))
    else ()
  fun isEnding () = Unsafe.Wait.look ending
end
