(* ThreadProps': what a thread has beside its stack: properties, what it does before it ends, and who wants to know of its
   end. For the library.

   It stands before `sync.sml`, which has to know of threads that end within a function of a choice. When that asked for it
   by references that this file filled, every program had this file in it: a program of one line took twice as long to be
   compiled. *)
structure ThreadProps' =
struct
  datatype watched = datatype Member'.watched
  datatype props = datatype Member'.props
  type props = Member'.props

  val get = Member'.propsOf
  val set = Member'.setProps
  val hasEnded = PrimThreads'.thread_ended

  (* a thread's properties are changed by itself, by joinEvt, and by a thread that watches it *)
  val lock = Lock'.new ()

  fun watchersOf (RUNS list) = list
    | watchersOf (STOPPED list) = list
  fun tell (RUNS []) = ()
    | tell watched = List.app (fn (_, act) => act ()) (rev (watchersOf watched))
  fun watchedOf NONE' = RUNS []
    | watchedOf (PROPS {watched, ...}) = watched
    | watchedOf (SCOPED {watched, ...}) = watched
  fun tellOf thread = tell (watchedOf (get thread))

  type parts =
    {atEnd : unit -> unit, ended : Condition'.condition, list : exn list, watched : watched}

  (* other ones; it stays in its scope *)
  fun put (thread, {atEnd, ended, list, watched} : parts) =
    set (thread,
         case get thread of
           SCOPED {member, ...} =>
             SCOPED {atEnd = atEnd, ended = ended, list = list, member = member, watched = watched}
         | _ => PROPS {atEnd = atEnd, ended = ended, list = list, watched = watched})

  fun make thread : parts =
    case get thread of
      PROPS p => p
    | SCOPED {atEnd, ended, list, member, watched} =>
        let
          val isNew = ended = Member'.unasked
          val ended = if isNew then Condition'.condition () else ended
        in
          if isNew then
            set (thread,
                 SCOPED
                   {atEnd = atEnd, ended = ended, list = list, member = member, watched = watched})
          else ();
          {atEnd = atEnd, ended = ended, list = list, watched = watched}
        end
    | NONE' =>
        let
          val ended = Condition'.condition ()
          val p =
            {atEnd = fn () => (tellOf thread; Condition'.set ended),
             ended = ended,
             list = [],
             watched = RUNS []}
        in
          set (thread, PROPS p);
          p
        end

  fun change f =
    let
      val _ = Lock'.take lock
      val self = Thread.self ()
      val {atEnd, ended, list, watched} = make self
    in
      put (self, {atEnd = atEnd, ended = ended, list = f list, watched = watched});
      Lock'.release lock
    end

  (* Of the running thread, which has no properties yet. *)
  fun atEnd f =
    let
      val {atEnd, ended, list, watched} = make (Thread.self ())
    in
      put (Thread.self (),
           {atEnd = fn () => (f (); atEnd ()), ended = ended, list = list, watched = watched})
    end

  (* -- to be told when a thread ends or is stopped *)

  fun isOver thread =
    hasEnded thread
    orelse (case watchedOf (get thread) of
              STOPPED _ => true
            | RUNS _ => false)

  fun rewatch (thread, f) =
    let
      val () = Lock'.take lock
      val {atEnd, ended, list, watched} = make thread
    in
      put (thread,
           {atEnd = atEnd,
            ended = ended,
            list = list,
            watched =
              case watched of RUNS list => RUNS (f list) | STOPPED list => STOPPED (f list)});
      Lock'.release lock
    end
  (* As with joinEvt, look afterwards whether the thread is over. *)
  fun watch (thread, key, act) = rewatch (thread, fn watchers => (key, act) :: watchers)
  fun unwatch (thread, key) = rewatch (thread, List.filter (fn (other, _) => other <> key))

  (* Another thread is stopped, perhaps for good; or goes on after all. *)
  fun mark (thread, now) =
    let
      val () = Lock'.take lock
      val {atEnd, ended, list, watched} = make thread
    in
      put (thread, {atEnd = atEnd, ended = ended, list = list, watched = now});
      Lock'.release lock;
      tell watched
    end
  fun stop thread = mark (thread, STOPPED [])
  fun resume thread = mark (thread, RUNS [])

  fun list () =
    case get (Thread.self ()) of
      PROPS {list, ...} => list
    | SCOPED {list, ...} => list
    | NONE' => []

  (* The running thread is in a scope from now on. *)
  fun join member =
    let
      val _ = Lock'.take lock
      val self = Thread.self ()
      val {atEnd, ended, list, watched} = make self
    in
      set (self,
           SCOPED {atEnd = atEnd, ended = ended, list = list, member = member, watched = watched});
      Lock'.release lock
    end

  val ending = ThreadStamp'.ending

  (* The running thread ends. First it says so, then it looks who wants to know; joinEvt asks to be told, then looks whether
     it ends. So one of them sees the other, on whatever workers they run: the compare-and-swap is a fence. *)
  fun say () =
    let
      val self = Thread.self ()
    in
      ignore (Transaction'.casStamp (self, Transaction'.stamp self, ending))
    end
  fun ends () =
    (say ();
     case get (Thread.self ()) of
       PROPS {atEnd, ...} => atEnd ()
     | SCOPED {atEnd, member, ...} => (! Member'.onEnd member; atEnd ())
     | NONE' => ())

  (* What the running thread has to do before it ends: a cell in its list, made at the first use, which nobody else
     changes; what came last is done first. A function that was left by a continuation has left its act there: that
     goes with the next one before it. *)
  exception Leaving of (unit -> unit) ref list ref
  fun acts [] = NONE
    | acts (Leaving cell :: _) = SOME cell
    | acts (_ :: rest) = acts rest
  fun newActs () =
    let
      val () = PrimFunctions'.noinline ()
      val cell = ref []
    in
      change (fn list => Leaving cell :: list);
      cell
    end
  fun toLeave act =
    let
      val key = ref act
      val cell = case acts (list ()) of SOME cell => cell | NONE => newActs ()
    in
      cell := key :: !cell;
      key
    end
  fun forget key =
    let
      fun without (cell, other :: rest) = if other = key then cell := rest else without (cell, rest)
        | without (_, []) = ()
    in
      case acts (list ()) of
        SOME cell => without (cell, !cell)
      | NONE => ()
    end
  fun leave () =
    case acts (list ()) of
      SOME (cell as ref (ref act :: rest)) => (cell := rest; act () handle _ => (); leave ())
    | _ => ()

  (* The result of the function; the act is done if the thread ends in it, and only then. *)
  fun leaving (act, f) =
    let
      val key = toLeave act
      val x = f () handle e => (forget key; raise e)
    in
      forget key;
      x
    end

  (* Set when the thread has ended; of one that was over before, by who asks (see `hasEnded`). *)
  fun ended thread =
    let
      val _ = Lock'.take lock
      val {ended, ...} = make thread
    in
      Lock'.release lock;
      ended
    end
end
