(* OldCML: the names of Concurrent ML 0.9. *)

signature OLD_CML =
sig
  structure NewCML : CML

  (* The version of Concurrent ML whose names these are. *)
  val version : {major : int, minor : int, rev : int, date : string}
  (* The version as a text. *)
  val versionName : string

  type 'a event
  (* Blocks until the event happens, and gives its result. *)
  val sync : 'a event -> 'a
  (* Blocks until one of the events happens, and gives its result. *)
  val select : 'a event list -> 'a
  (* One of these events, whichever can happen first. *)
  val choose : 'a event list -> 'a event
  (* Calls the function at each synchronisation and takes part with the event that it makes. *)
  val guard : (unit -> 'a event) -> 'a event
  (* The event, with the function called on its result. *)
  val wrap : 'a event * ('a -> 'b) -> 'b event
  (* The event, with what is done about exceptions of the functions that are wrapped around it. *)
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  (* the function runs, in a thread of its own, when another event was taken *)
  val wrapAbort : 'a event * (unit -> unit) -> 'a event
  (* Can happen at once; its result is the value. *)
  val always : 'a -> 'a event
  (* Can happen at once, with no content. *)
  val ALWAYS : unit event

  type thread_id
  (* Makes a thread that calls the function. *)
  val spawn : (unit -> unit) -> thread_id
  (* Lets the other threads that are ready run first. *)
  val yield : unit -> unit
  (* Ends the running thread. *)
  val exit : unit -> 'a
  (* The running thread. *)
  val getTid : unit -> thread_id
  (* Whether two names are of the same thread. *)
  val sameThread : thread_id * thread_id -> bool
  (* Whether the first thread was made before the second. *)
  val tidLessThan : thread_id * thread_id -> bool
  (* The thread's number in brackets. *)
  val tidToString : thread_id -> string
  (* Happens when the thread has ended. *)
  val threadWait : thread_id -> unit event

  type 'a cond_var
  exception WriteTwice
  (* Makes a variable that is filled once; it is empty. *)
  val condVar : unit -> 'a cond_var
  (* Fills the variable. Raises WriteTwice when it is full already. *)
  val writeVar : 'a cond_var * 'a -> unit
  (* The variable's value; blocks until it is full. *)
  val readVar : 'a cond_var -> 'a
  (* Happens when the variable is full; its result is the value. *)
  val readVarEvt : 'a cond_var -> 'a event

  type 'a chan
  (* Makes a channel. *)
  val channel : unit -> 'a chan
  (* Blocks until a thread receives the message. *)
  val send : 'a chan * 'a -> unit
  (* `send`, with its arguments one after the other. *)
  val sendc : 'a chan -> 'a -> unit
  (* Blocks until a thread sends, and gives the message. *)
  val accept : 'a chan -> 'a
  (* Whether both are the same channel. *)
  val sameChannel : 'a chan * 'a chan -> bool
  (* Happens when a thread receives the message. *)
  val transmit : 'a chan * 'a -> unit event
  (* `transmit`, with its arguments one after the other. *)
  val transmitc : 'a chan -> 'a -> unit event
  (* Happens when a thread sends; its result is the message. *)
  val receive : 'a chan -> 'a event

  (* Happens at that time of the day. *)
  val waitUntil : Time.time -> unit event
  (* Happens when so much time has passed since the synchronisation began. *)
  val timeout : Time.time -> unit event
end

structure OldCML :> OLD_CML
  where type thread_id = CML.thread_id
  where type 'a event = 'a CML.event
  where type 'a chan = 'a CML.chan
  where type 'a cond_var = 'a SyncVar.ivar =
struct
  structure NewCML = CML

  open CML

  val version = {major = 0, minor = 9, rev = 8, date = #date NewCML.version}
  val versionName = NewCML.banner

  fun wrapAbort (event, abort) =
    withNack (fn nack => (ignore (spawn (fn () => (sync nack; abort ()))); event))
  val always = alwaysEvt
  val ALWAYS = alwaysEvt ()

  val sameThread = sameTid
  fun tidLessThan (a, b) = compareTid (a, b) = LESS
  val threadWait = joinEvt

  type 'a cond_var = 'a SyncVar.ivar
  exception WriteTwice = SyncVar.Put
  val condVar = SyncVar.iVar
  val writeVar = SyncVar.iPut
  val readVar = SyncVar.iGet
  val readVarEvt = SyncVar.iGetEvt

  fun sendc channel message = send (channel, message)
  val accept = recv
  val transmit = sendEvt
  fun transmitc channel message = sendEvt (channel, message)
  val receive = recvEvt

  val waitUntil = atTimeEvt
  val timeout = timeOutEvt
end
