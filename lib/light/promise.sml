(* Promise: the promise monad. An action is done at once, as far as it goes; what it gives is a promise, a value that may come
   later, and `>>=` leaves a call-back with a promise that is pending.

   After Vouillon, Lwt, ML workshop 2008. A thread that loops is a chain of binds without end: each bind's promise is to be
   what the next one's is. So when a call-back gives a promise that is pending itself, that one becomes a link to the outer
   one, its call-backs move there, and the chain stays one promise long. Without links it grows for ever: a leak.
   Lwt's promises can be broken by an exception; here an exception ends the run, as in the other styles. *)

structure Promise :> MONAD =
struct
  structure Ready = Ready ()
  exception Deadlock = Ready.Deadlock

  datatype 'a state =
      KEPT of 'a
    (* the call-backs, the last one first *)
    | PENDING of ('a -> unit) list
    (* it is to be what that one is *)
    | LINK of 'a state ref

  type 'a action = 'a state ref
  type process = unit action

  (* A waiter of an MVar is the promise that its operation has given. *)
  type 'a mvar = ('a, 'a action, unit action) Cell.cell

  fun return x = ref (KEPT x)
  fun pending () = ref (PENDING [])

  (* The promise at the end of the links, which then are one link long. *)
  fun find p =
    case !p of
      LINK q =>
        (case !q of
           LINK _ => let val last = find q in p := LINK last; last end
         | _ => q)
    | _ => p

  fun keep (p, x) =
    let
      val p = find p
    in
      case !p of
        PENDING callbacks => (p := KEPT x; List.app (fn f => f x) (rev callbacks))
      | _ => raise Fail "Promise: kept twice"
    end

  (* `outer`, which is pending, is to be what `inner` is. *)
  fun link (outer, inner) =
    let
      val inner = find inner
    in
      case !inner of
        KEPT x => keep (outer, x)
      | LINK _ => raise Fail "Promise: find gives no link"
      | PENDING callbacks =>
          let
            val outer = find outer
          in
            if outer = inner then ()
            else
              ((case !outer of
                  PENDING others =>
                    outer := PENDING (if null callbacks then others else callbacks @ others)
                | _ => raise Fail "Promise: kept twice");
               inner := LINK outer)
          end
    end

  fun >>= (p, f) =
    let
      val p = find p
    in
      case !p of
        KEPT x => f x
      | PENDING callbacks =>
          let
            val result = pending ()
          in
            p := PENDING ((fn x => link (result, f x)) :: callbacks);
            result
          end
      | LINK _ => raise Fail "Promise: find gives no link"
    end

  (* A kept promise of () is the same for all. *)
  val unit = return ()
  val finished = unit

  val mvar = Cell.new

  fun wake (p, x) = Ready.later (fn () => keep (p, x))

  fun take cell =
    case Cell.take cell of
      Cell.TAKEN x => return x
    | Cell.FREED (x, putter) => (wake (putter, ()); return x)
    | Cell.EMPTY => let val p = pending () in Cell.addTaker (cell, p); p end

  fun put (cell, x) =
    case Cell.put (cell, x) of
      Cell.STORED => unit
    | Cell.GIVEN taker => (wake (taker, x); unit)
    | Cell.FULL => let val p = pending () in Cell.addPutter (cell, x, p); p end

  fun spawn thread = (Ready.later (fn () => ignore (thread ())); unit)
  fun yield () = let val p = pending () in wake (p, ()); p end

  fun run main =
    let
      val result = ref NONE
    in
      Ready.clear ();
      ignore (main (fn x => (result := SOME x; unit)));
      Ready.until result
    end
end
