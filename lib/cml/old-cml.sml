(* OldCML: the names of Concurrent ML 0.9. *)

signature OLD_CML =
sig
  structure NewCML : CML

  val version : {major : int, minor : int, rev : int, date : string}
  val versionName : string

  type 'a event
  (* the names of the time before SML'97 *)
  val sync : 'a event -> 'a
  val select : 'a event list -> 'a
  val choose : 'a event list -> 'a event
  val guard : (unit -> 'a event) -> 'a event
  val wrap : 'a event * ('a -> 'b) -> 'b event
  val wrapHandler : 'a event * (exn -> 'a) -> 'a event
  (* the function runs, in a thread of its own, when another event was taken *)
  val wrapAbort : 'a event * (unit -> unit) -> 'a event
  val always : 'a -> 'a event
  val ALWAYS : unit event

  type thread_id
  val spawn : (unit -> unit) -> thread_id
  val yield : unit -> unit
  val exit : unit -> 'a
  val getTid : unit -> thread_id
  val sameThread : thread_id * thread_id -> bool
  val tidLessThan : thread_id * thread_id -> bool
  val tidToString : thread_id -> string
  val threadWait : thread_id -> unit event

  type 'a cond_var
  exception WriteTwice
  val condVar : unit -> 'a cond_var
  val writeVar : 'a cond_var * 'a -> unit
  val readVar : 'a cond_var -> 'a
  val readVarEvt : 'a cond_var -> 'a event

  type 'a chan
  val channel : unit -> 'a chan
  val send : 'a chan * 'a -> unit
  val sendc : 'a chan -> 'a -> unit
  val accept : 'a chan -> 'a
  val sameChannel : 'a chan * 'a chan -> bool
  val transmit : 'a chan * 'a -> unit event
  val transmitc : 'a chan -> 'a -> unit event
  val receive : 'a chan -> 'a event

  val waitUntil : Time.time -> unit event
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
