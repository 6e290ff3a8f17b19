(* Events of input streams.

   A stream is a chain of chunks (stream-input.sml) that may be read ahead by anybody, so an event that was not taken
   loses nothing. *)

signature CML_STREAM_IO =
sig
  include STREAM_IO
  (* Happens when there is an element, or at the end; its result is that of `input1`. *)
  val input1Evt : instream -> (elem * instream) option CML.event
  (* Happens when n elements are there, or the end; its result is that of `inputN`. *)
  val inputNEvt : instream * int -> (vector * instream) CML.event
  (* Happens when there is something, or at the end; its result is that of `input`. *)
  val inputEvt : instream -> (vector * instream) CML.event
  (* Happens when the end is there; its result is that of `inputAll`. *)
  val inputAllEvt : instream -> (vector * instream) CML.event
end

functor StreamEvents' (structure S : STREAMS' val length : S.vector -> int) =
struct
  open S
  (* there may be more behind the end of what was read *)
  fun more f =
    Event'.guard (fn () =>
      case growing f of
        NONE => Event'.alwaysEvt ()
      | SOME (grown, isNew) =>
          let
            val grows = Event'.conditionEvt (grown, ParkReason'.read)
          in
            case if isAsked f then descriptorIn f else NONE of
              (* or another thread reads, and the descriptor has no more *)
              SOME fd => Event'.choose [grows, IoEvent'.readable (ref fd)]
            | NONE =>
                (* only its reader knows when: one thread waits there for all events *)
                (if isNew then
                   let
                     fun tell () = tellIn f
                     (* the reader's function may say CML.exit *)
                     fun wait () =
                       (ignore (ThreadProps'.toLeave tell);
                        ignore (input f) handle _ => ();
                        tell ())
                   in
                     ignore (Thread.spawn wait)
                   end
                 else ();
                 grows)
          end)

  fun isThere f = isSome (thereIn (f, 1))

  fun when get f =
    Event'.guard (fn () =>
      if isThere f then Event'.alwaysEvt (get f) else Event'.wrap (more f, fn () => get f))
  fun inputEvt f = when input f
  fun input1Evt f = when input1 f

  (* Walks over the chunks that are there: the place behind them, or that there is enough. A reader that can only wait,
     and has given nothing where a thread waited for it, has raised an exception: so will the function that gets it. *)
  fun stepping (enough, get) f =
    let
      val at = ref f
      val hasWaited = ref false
      fun probe () =
        case thereIn (!at, valOf Int.maxInt) of
          NONE => if !hasWaited andalso not (isAsked f) then SOME get else NONE
        | SOME 0 => SOME get
        | SOME _ =>
            let
              val (v, rest) = input (!at)
            in
              at := rest;
              hasWaited := false;
              if enough v then SOME get else probe ()
            end
    in
      (* the place moves on from step to step *)
      IoEvent'.steps
        (probe, Event'.guard (fn () => (hasWaited := true; more (!at))))
    end

  fun inputNEvt (f, n) =
    Event'.guard (fn () =>
      let
        val found = ref 0
        fun enough v = (found := !found + length v; !found >= n)
      in
        if n <= 0 then Event'.alwaysEvt (inputN (f, n))
        else stepping (enough, fn () => inputN (f, n)) f
      end)
  fun inputAllEvt f = Event'.guard (fn () => stepping (fn _ => false, fn () => inputAll f) f)
end
