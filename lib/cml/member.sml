(* Member': what a thread in a scope has, and who is told that a thread ends. For the library; programs see Scope.

   It comes before everything that may wait: a wait of a thread in a scope can be cancelled, and is another one than that of
   a thread outside (see transaction.sml). What `os.sml` does, which comes before events, is replaced by `Scope` when a
   program makes its first scope (`Wait'.waits` and its like); so a program without scopes has nothing of it. *)
structure Member' =
struct
  (* raised by a wait when its scope is cancelled *)
  exception Cancelled

  (* of Condition' *)
  datatype condition =
      UNSET
    | WAITING of {fuel : int, next : condition, synched : int, thread : thread, waiting : int}
    (* the priority is 1, or it has become higher since another event was taken *)
    | SET
    | AGED of int

  type waiter = {synched : int, thread : thread, waiting : int}

  datatype scope =
      OUTSIDE
    | SCOPE of
        {(* the thread that runs the scope's function *)
         body : member,
         (* why it is cancelled, if it is *)
         cause : exn option ref,
         (* threads and scopes that are told when it is cancelled, some of which have ended *)
         entries : entries ref,
         (* threads that have not ended, ~1 when `run` has returned; those that do not keep the scope *)
         live : int ref,
         daemons : int ref,
         (* of all fields but `cause`, which is written with the lock, and read without *)
         lock : int ref,
         (* the scope around it, unless it is shielded from that *)
         parent : scope,
         (* is set when it is cancelled *)
         told : condition ref,
         (* `body`, while it waits for the end; for that of the daemons, too *)
         waits : (waiter * bool) option ref}
  (* `room`: how many may be added before those that have ended are dropped *)
  and entries =
      NOBODY
    | THREAD of {member : member, next : entries, room : int}
    | CHILD of {next : entries, room : int, scope : scope}
    (* a deadline's timer, and the thread that it starts *)
    | ALARM of {next : entries, room : int, thread : thread, timer : int}
  withtype member =
    {(* the scope that the thread is in; OUTSIDE again when it has ended, or has left all scopes *)
     current : scope ref,
     (* the stamp that says that this wait was cancelled *)
     ifCancelled : int ref,
     (* its waits are not cancelled *)
     masked : bool ref,
     (* The stamp of the wait that may be cancelled now; that of an older one, which is over, does no harm. It is written after
        `ifCancelled` and read before it, so the two fit together as long as the wait is not over. It is negated when a
        wait of the innermost scope's function was cancelled before: that is the mark. *)
     open' : int ref,
     thread : thread}

  (* What is to be done when a thread ends or is stopped, each by a cell that names it. STOPPED: a signal's handler has
     stopped the thread; it may go on later. *)
  datatype watched =
      RUNS of (bool ref * (unit -> unit)) list
    | STOPPED of (bool ref * (unit -> unit)) list

  (* The properties of a thread. `atEnd` is the first word: the runtime calls it in a thread of its own when the thread has
     died of an exception, see `thread_failed` in runtime/entry. The labels are in order, and every field is a reference:
     numbers and booleans would come before them. *)
  datatype props =
      NONE'
    | PROPS of {atEnd : unit -> unit, ended : condition ref, list : exn list, watched : watched}
    | SCOPED of
        {atEnd : unit -> unit,
         ended : condition ref,
         list : exn list,
         member : member,
         watched : watched}

  (* `ended` of a thread of a scope as long as nobody has asked for its end *)
  val unasked : condition ref = ref UNSET

  (* in the `list` of a thread's properties: one that the threads have, too, which it forks in a scope *)
  exception Inherited of exn
  fun isInherited (Inherited _) = true
    | isInherited _ = false
  fun inherited [] = []
    | inherited list = List.filter isInherited list

  val propsOf = PrimThreads'.thread_props : thread -> props
  val setProps = PrimThreads'.thread_set_props : thread * props -> unit

  (* whether there has been a scope *)
  val used = ref false

  (* whether the running thread's waits may be cancelled; who it is then *)
  datatype here = OUT | IN of member
  fun here () =
    case propsOf (PrimThreads'.thread_self ()) of
      SCOPED {member as {current = ref (SCOPE _), masked = ref false, ...}, ...} => IN member
    | _ => OUT
  fun isHere () =
    case here () of
      IN _ => true
    | OUT => false

  fun isCancelled (SCOPE {cause = ref (SOME _), ...}) = true
    | isCancelled _ = false

  (* A wait of the innermost scope's function was cancelled. *)
  fun isMarked ({open', ...} : member) = !open' < 0

  (* Raises Cancelled in the running thread, and leaves the mark. *)
  fun raiseCancelled () =
    (case propsOf (PrimThreads'.thread_self ()) of
       SCOPED {member = {open', ...}, ...} => open' := ~1
     | _ => ();
     raise Cancelled)
  (* What stands in the running thread's `open'` before a wait. When that was cancelled and has been made up for, it is put
     back: then the wait counts as one that was not cancelled. *)
  fun marks () =
    case here () of
      IN {open', ...} => !open'
    | OUT => 0
  fun putBack before' =
    case here () of
      IN {open', ...} => open' := before'
    | OUT => ()

  (* what is done when such a thread ends: filled with the first scope *)
  val onEnd = ref (fn (_ : member) => ())
end
