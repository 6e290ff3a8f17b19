(* PropList: properties that are added to values from outside, each kept in a holder that the value carries.
   A property's value travels in an exception of its own, which is SML's open datatype.

   Threads may share a holder: a property that several ask for first has one value for all of them, though each may have
   made one. *)

signature PROP_LIST =
sig
  type holder

  val newHolder : unit -> holder
  (* Makes a holder without properties. *)
  val hasProps : holder -> bool
  (* Whether the holder has a property. *)
  val clearHolder : holder -> unit
  (* Takes all properties away. *)
  val sameHolder : (holder * holder) -> bool
  (* Whether both are one holder. *)

  val newProp :
    (('a -> holder) * ('a -> 'b))
    -> {peekFn : 'a -> 'b option, getFn : 'a -> 'b, setFn : ('a * 'b) -> unit, clrFn : 'a -> unit}
  (* A property of values whose holder the first function finds. The second gives what getFn finds first;
     peekFn does not call it. *)

  val newFlag : ('a -> holder) -> {getFn : 'a -> bool, setFn : ('a * bool) -> unit}
  (* A property that is false until it is set. *)
end

structure PropList :> PROP_LIST =
struct
  type holder = exn list ref

  fun newHolder () = ref []
  fun hasProps holder = not (null (!holder))
  fun clearHolder holder = holder := []
  fun sameHolder (a : holder, b) = a = b

  fun newProp (holderOf, init : 'a -> 'v) =
    let
      (* and whether it is the first one, of getFn *)
      exception Value of 'v * bool
      fun find [] = NONE
        | find (Value v :: _) = SOME v
        | find (_ :: rest) = find rest
      (* what the holder gets instead of what it has, or a result without a change *)
      fun change (holder, f) =
        let
          val now = Unsafe.Wait.look holder
        in
          case f now of
            (result, NONE) => result
          | (result, SOME next) =>
              if Unsafe.Wait.swap (holder, now, next) then result else change (holder, f)
        end
      fun without [] = []
        | without (Value _ :: rest) = rest
        | without (other :: rest) = other :: without rest
      fun peek x = Option.map #1 (find (Unsafe.Wait.look (holderOf x)))
      fun set (x, v) =
        change (holderOf x, fn now => ((), SOME (Value (v, false) :: without now)))
      (* What `init` itself has set is replaced; the value that another thread's `init` has made is not. *)
      fun get x =
        case peek x of
          SOME v => v
        | NONE =>
            let
              val v = init x
            in
              change (holderOf x,
                      fn now =>
                        case find now of
                          SOME (other, true) => (other, NONE)
                        | _ => (v, SOME (Value (v, true) :: without now)))
            end
      fun clear x = change (holderOf x, fn now => ((), SOME (without now)))
    in
      {peekFn = peek, getFn = get, setFn = set, clrFn = clear}
    end

  fun newFlag holderOf =
    let
      val {peekFn, setFn, clrFn, ...} = newProp (holderOf, fn _ => ())
    in
      {getFn = isSome o peekFn, setFn = fn (x, true) => setFn (x, ()) | (x, false) => clrFn x}
    end
end
