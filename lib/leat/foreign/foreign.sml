(* Foreign: what a program needs beside `_import` to live with C: functions that C calls, calls of C as events, and memory
   that C may keep. *)

signature FOREIGN =
sig
  (* C does not call the function of this address any more, which `_export *` has given, and what it holds may be collected.
     Raises Fail if the address is none of `_export *`, or was freed before. A program in which C calls one that was freed
     ends with a message; but a later `_export *` may get the address, and then C calls that function. *)
  val free : MLton.Pointer.t -> unit

  (* A call of C as an event, for functions that are `blocking`: the call begins when the event is synchronised on, in a
     thread of its own, and the event happens with its result, or raises its exception. If another event of the choice
     happens first, or the wait is cancelled, C goes on and what it gives is dropped. In a scope that thread belongs to
     the scope, which so ends behind the call. Raises Scope.Cancelled if the call ends its thread. *)
  val callEvt : ('a -> 'b) -> 'a -> 'b CML.event
  (* The same with a function that makes C return early, such as `sqlite3_interrupt`: it is called when another event has
     happened or the wait is cancelled while C runs, and again each few milliseconds until C has returned, since C may
     not have begun the first time. C may have returned just then. *)
  val interruptibleEvt : {call : 'a -> 'b, interrupt : unit -> unit} -> 'a -> 'b CML.event

  structure Buffer : FOREIGN_BUFFER
end

structure Foreign :> FOREIGN =
struct
  structure Buffer = ForeignBuffer'
  fun free p = PrimForeign'.foreign_free (MLton.Pointer.diff (p, MLton.Pointer.null))

  datatype 'a outcome = GAVE of 'a | RAISED of exn

  (* A thread that the innermost scope waits for. *)
  fun start f =
    case Scope.current () of
      SOME scope => ignore (Scope.fork scope f)
    | NONE => ignore (CML.spawn f)

  fun begin (call, arg) =
    let
      val outcome = SyncVar.iVar ()
      (* That of a function which says CML.exit, in a callback perhaps. *)
      val given = ref (RAISED Scope.Cancelled)
      fun run () = given := Scope.shield (fn () => GAVE (call arg) handle e => RAISED e)
    in
      start (fn () => Scope.finally (run, fn () => SyncVar.iPut (outcome, !given)));
      outcome
    end

  fun result outcome =
    CML.wrap (SyncVar.iGetEvt outcome, fn GAVE x => x | RAISED e => raise e)

  fun callEvt call arg = CML.guard (fn () => result (begin (call, arg)))

  val again = Time.fromMilliseconds 2

  fun interruptibleEvt {call, interrupt} arg =
    CML.withNack (fn nack =>
      let
        val outcome = begin (call, arg)
        (* It ends with the call at the latest. *)
        fun interrupts () =
          if isSome (SyncVar.iGetPoll outcome) then ()
          else
            (interrupt ();
             CML.select [CML.wrap (SyncVar.iGetEvt outcome, ignore),
                         CML.wrap (CML.timeOutEvt again, interrupts)])
        fun watch () =
          Scope.shield (fn () =>
            CML.select [CML.wrap (SyncVar.iGetEvt outcome, ignore), CML.wrap (nack, interrupts)])
      in
        start watch;
        result outcome
      end)
end
