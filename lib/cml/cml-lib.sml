(* Multicast, SimpleRPC, Barrier: what is built from events, variables and mailboxes. *)

signature MULTICAST =
sig
  type 'a mchan
  type 'a port
  type 'a event

  (* Makes a multicast channel, which has no ports yet. *)
  val mChannel : unit -> 'a mchan
  (* Makes a port of the channel. It gets each message that is sent from now on. *)
  val port : 'a mchan -> 'a port
  (* Makes another port of the same channel, which gets what the first one will get from now on. *)
  val copy : 'a port -> 'a port
  (* The port's next message; blocks until there is one. Threads that share a port share its messages. *)
  val recv : 'a port -> 'a
  (* Happens when the port has a message, and takes it: its result is the next one. *)
  val recvEvt : 'a port -> 'a event
  (* Sends a message to all ports of the channel. It does not wait for receivers, but lets other threads run. *)
  val multicast : 'a mchan * 'a -> unit
end

(* Channels whose messages go to all of their ports. *)
structure Multicast :> MULTICAST where type 'a event = 'a CML.event =
struct
  (* A stream of cells: each holds a message and the next cell. The channel knows the empty one at the end, a port
     knows where it reads, and nobody keeps what all have read. Who waits stands in the queue of his port; the channel
     has a list of the ports at which somebody waits. When the last cell is filled, the first of each gets the message.
     Keeps, whenever the lock is free:
     M1  A port is in the list once, or not at all; `isListed` says so.
     M2  A port in the list, or at which a thread waits, has come to the last cell; the latter is in the list. *)
  open Transaction'

  type 'a event = 'a CML.event

  datatype 'a cell = CELL of ('a * 'a cell) option ref

  (* `listed`: the last one first. `room`: so many may still be added until those at which nobody waits any more are
     taken out. *)
  datatype 'a port =
    PORT of
        {ports : 'a ports,
         made : Event'.place,
         place : 'a cell ref,
         isListed : bool ref,
         waiting : unit Waiting'.queue,
         fuel : int ref}
  (* one lock for the channel and all of its ports; `left`: so many messages until the next turn of those who read *)
  withtype 'a ports = {left : int ref, lock : int ref, listed : 'a port list ref, room : int ref}
  type 'a mchan = {last : 'a cell ref, ports : 'a ports}

  (* reason of a thread dump *)
  val waitingForMail = ParkReason'.mailbox

  (* With one worker those who read have a turn behind each message, as in SML/NJ. With several a sender sends so many
     first, and a reader takes them in one turn: two switches of threads are most of what a message to a port costs. *)
  val burst = 16

  fun cell () = CELL (ref NONE)

  fun mChannel () : 'a mchan =
    {last = Transaction'.cell (cell ()),
     ports = {left = ref 1, lock = Lock'.new (), listed = ref [], room = ref 16}}

  fun portAt (ports, made, cell) =
    PORT {ports = ports,
          made = made,
          place = ref cell,
          isListed = ref false,
          waiting = Waiting'.new (),
          fuel = ref 16}
  fun port ({last, ports} : 'a mchan) = portAt (ports, placeOf last, !last)
  fun copy (PORT {ports, made, place, ...}) = portAt (ports, made, !place)

  (* -- with the lock *)

  (* Whether somebody waits there; else it is not in the list any more. *)
  fun isStill (PORT {waiting, isListed, ...}) =
    Waiting'.isWaiting waiting orelse (isListed := false; false)

  fun enlist (port as PORT {ports = {listed, room, ...}, isListed, ...}) =
    if !isListed then ()
    else
      (if !room > 0 then ()
       else
         (listed := List.filter isStill (!listed);
          room := Int.max (16, List.length (!listed)));
       isListed := true;
       listed := port :: !listed;
       room := !room - 1)

  (* The first thread at each port gets the message; those that got theirs before are added to. *)
  fun serve (_, _, [], served) = served
    | serve
        (x,
         next,
         (port as PORT {ports = {listed, ...}, place, isListed, waiting, ...}) :: rest,
         served) =
        (case Waiting'.take waiting of
           Waiting'.NOBODY => (isListed := false; serve (x, next, rest, served))
         | Waiting'.ITEM {thread, synched, ...} =>
             (deliver (thread, synched, x);
              place := next;
              if isStill port then listed := port :: !listed else ();
              serve (x, next, rest, thread :: served)))

  (* -- operations *)

  fun multicast ({last, ports = {left, lock, listed, ...}} : 'a mchan, x) =
    let
      val _ = Lock'.take lock
      val CELL content = !last
      val next = cell ()
      val ports = List.rev (!listed)
      val served =
        (content := SOME (x, next); last := next; listed := []; serve (x, next, ports, []))
      val isOver = !left <= 1 orelse not (Workers'.severalEver ())
    in
      left := (if isOver then burst else !left - 1);
      Lock'.unlock lock;
      app Thread.ready (rev served);
      Thread.atomicEnd ();
      (* a sender that never waits would fill the memory *)
      if isOver then Thread.yield () else ()
    end

  fun recvEvt (port as PORT {ports = {lock, ...}, made, place, waiting, fuel, ...}) =
    let
      fun content () = let val CELL content = !place in !content end
      fun poll _ = if Option.isSome (content ()) then 1 else 0
      (* the lock is held *)
      fun get (x, next) = (leave (Thread.self (), x); place := next)
      fun commit () =
        (Lock'.take lock;
         case content () of
           SOME found => (get found; Lock'.release lock; Event'.WON)
         | NONE => (Lock'.release lock; Event'.LOST))
      fun late (w, found) =
        (if seize w then (get found; Transaction'.commit w; Event'.MATCHED) else Event'.GONE)
        before Lock'.release lock
      fun block w =
        (Lock'.take lock;
         case content () of
           SOME found => late (w, found)
         | NONE =>
             (enlist port;
              Waiting'.addChoice (waiting, w, (), fuel) before Lock'.release lock))
    in
      Event'.received
        {poll = poll, commit = commit, block = block, reason = waitingForMail, place = made}
    end

  (* A message that is there is taken without an event. *)
  fun recv (port as PORT {ports = {lock, ...}, place, ...}) =
    let
      val () = Lock'.take lock
      val CELL content = !place
    in
      case !content of
        SOME (x, next) => (place := next; Lock'.release lock; x)
      | NONE => (Lock'.release lock; CML.sync (recvEvt port))
    end
end

signature SIMPLE_RPC =
sig
  type 'a event

  (* Makes a call and the event that serves it. `call` blocks until a server has synchronised on `entryEvt`, which
     runs the function; its result is the call's. An exception of the function is raised by both; when it ends its
     thread, `call` raises Scope.Cancelled. *)
  val mkRPC : ('a -> 'b) -> {call : 'a -> 'b, entryEvt : unit event}
  (* The same for a server with a state: the function gets the state that the server gives to `entryEvt`. *)
  val mkRPC_In : ('a * 'c -> 'b) -> {call : 'a -> 'b, entryEvt : 'c -> unit event}
  (* The same; the second part of what the function gives is the result of `entryEvt`, the server's next state. *)
  val mkRPC_Out : ('a -> 'b * 'c) -> {call : 'a -> 'b, entryEvt : 'c event}
  (* The same with both: the server gives its state, and gets the next one as the result of its event. *)
  val mkRPC_InOut : ('a * 'c -> 'b * 'd) -> {call : 'a -> 'b, entryEvt : 'c -> 'd event}
end

structure SimpleRPC :> SIMPLE_RPC where type 'a event = 'a CML.event =
struct
  type 'a event = 'a CML.event

  datatype 'a reply = VALUE of 'a | RAISED of exn

  (* a function from argument and state to result and next state makes all four *)
  fun make f =
    let
      val requests = Mailbox.mailbox ()
      val request = Mailbox.recvEvt requests
      fun call argument =
        let
          val reply = SyncVar.iVar ()
        in
          Mailbox.send (requests, (argument, reply));
          case SyncVar.iGet reply of
            VALUE x => x
          | RAISED e => raise e
        end
      fun entryEvt state =
        CML.wrap (request,
                  fn (argument, reply) =>
                    let
                      fun cancelled () = SyncVar.iPut (reply, RAISED Member'.Cancelled)
                      val (result, next) =
                        ThreadProps'.leaving (cancelled, fn () => f (argument, state))
                        handle e => (SyncVar.iPut (reply, RAISED e); raise e)
                    in
                      SyncVar.iPut (reply, VALUE result);
                      next
                    end)
    in
      {call = call, entryEvt = entryEvt}
    end

  fun mkRPC f =
    let
      val {call, entryEvt} = make (fn (x, ()) => (f x, ()))
    in
      {call = call, entryEvt = entryEvt ()}
    end
  fun mkRPC_In f = make (fn (x, state) => (f (x, state), ()))
  fun mkRPC_Out f =
    let
      val {call, entryEvt} = make (fn (x, ()) => f x)
    in
      {call = call, entryEvt = entryEvt ()}
    end
  val mkRPC_InOut = make
end

signature BARRIER =
sig
  type 'a barrier
  type 'a enrollment

  (* Makes a barrier, with a function and a state. Each time that all who are enrolled have come, the function makes
     the next state of the current one; it is not cancelled. When it ends its thread the others get Scope.Cancelled. *)
  val barrier : ('a -> 'a) -> 'a -> 'a barrier
  (* Adds a party to the barrier: from now on the others wait for it, too. *)
  val enroll : 'a barrier -> 'a enrollment
  (* Blocks until all who are enrolled have come; gives the next state, or raises what the function raised. Raises
     Fail when this enrollment waits already or has resigned. *)
  val wait : 'a enrollment -> 'a
  (* Takes the party out: the others do not wait for it any more. Raises Fail while it waits. *)
  val resign : 'a enrollment -> unit
  (* The barrier's current state. It does not block. *)
  val value : 'a enrollment -> 'a
end

structure Barrier :> BARRIER =
struct
  datatype 'a result = VALUE of 'a | RAISED of exn

  type 'a barrier =
    {lock : int ref,
     update : 'a -> 'a,
     state : 'a ref,
     enrolled : int ref,
     waiting : int ref,
     (* of this round; a new one for the next *)
     round : 'a result SyncVar.ivar ref}

  datatype status = ENROLLED | WAITING | RESIGNED
  type 'a enrollment = {barrier : 'a barrier, status : status ref}

  fun barrier update state : 'a barrier =
    {lock = Lock'.new (),
     update = update,
     state = ref state,
     enrolled = ref 0,
     waiting = ref 0,
     round = ref (SyncVar.iVar ())}

  fun enroll (barrier as {lock, enrolled, ...} : 'a barrier) : 'a enrollment =
    (Lock'.take lock;
     enrolled := !enrolled + 1;
     Lock'.release lock;
     {barrier = barrier, status = ref ENROLLED})

  (* The others wait for the new state: who makes it is not cancelled in the midst, or all of them would be. *)
  fun shielded f =
    case Member'.here () of
      Member'.OUT => f ()
    | Member'.IN {masked, ...} =>
        let
          val () = masked := true
          val x = f () handle e => (masked := false; raise e)
        in
          masked := false;
          x
        end

  (* All have come. Ends the round, the lock being held and then free; nobody changes the state but the one that does this:
     the others wait. It may end in the update: then its part has not waited. *)
  fun finish ({lock, update, state, waiting, round, ...} : 'a barrier, status, before') =
    let
      val this = !round
      fun cancelled () = (status := before'; SyncVar.iPut (this, RAISED Member'.Cancelled))
      val () = waiting := 0
      val () = round := SyncVar.iVar ()
      val () = Lock'.release lock
      val result =
        VALUE (ThreadProps'.leaving (cancelled, fn () => shielded (fn () => update (!state))))
        handle e => RAISED e
    in
      (case result of
         VALUE x => state := x
       | RAISED _ => ());
      SyncVar.iPut (this, result)
    end

  fun wait ({barrier as {lock, enrolled, waiting, round, ...}, status} : 'a enrollment) =
    (Lock'.take lock;
     case !status of
       WAITING => (Lock'.release lock; raise Fail "multiple barrier waits")
     | RESIGNED => (Lock'.release lock; raise Fail "barrier wait after resignation")
     | ENROLLED =>
         let
           val this = !round
           val () = status := WAITING
           val () = waiting := !waiting + 1
           val () =
             if !waiting = !enrolled then finish (barrier, status, ENROLLED) else Lock'.release lock
           (* A wait that was cancelled counts no more, unless it has counted: then it has its result. *)
           fun giveUp () =
             let
               val () = Lock'.take lock
               val isSoon = SyncVar.sameIVar (!round, this)
             in
               if isSoon then (waiting := !waiting - 1; status := ENROLLED) else ();
               Lock'.release lock;
               isSoon
             end
           val marks = Member'.marks ()
           val result =
             SyncVar.iGet this
             handle e =>
                 if giveUp () then raise e
                 else
                   (* it has counted, so nothing was cancelled *)
                   (Member'.putBack marks;
                    shielded (fn () => SyncVar.iGet this))
         in
           status := ENROLLED;
           case result of
             VALUE x => x
           | RAISED e => raise e
         end)

  fun resign ({barrier as {lock, enrolled, waiting, ...}, status} : 'a enrollment) =
    (Lock'.take lock;
     case !status of
       RESIGNED => Lock'.release lock
     | WAITING => (Lock'.release lock; raise Fail "resign while waiting")
     | ENROLLED =>
         (status := RESIGNED;
          enrolled := !enrolled - 1;
          (* it may have been the only one that the others waited for *)
          if !waiting > 0 andalso !waiting = !enrolled then finish (barrier, status, RESIGNED)
          else Lock'.release lock))

  fun value ({barrier = {state, ...}, ...} : 'a enrollment) = !state
end
