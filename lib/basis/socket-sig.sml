(* SOCKET, as the Basis Library has it, and CML_SOCKET, with events.

   The types of a socket say its family of addresses ('af) and its kind: single messages (dgram), or connections
   (stream), on which bytes go (active) or which are accepted (passive). Each operation that waits has a form that does
   not (NB), and most that send or receive have one with flags ('). *)

signature SOCKET =
sig
  type ('af, 'sock_type) sock
  type 'af sock_addr
  type dgram
  type 'mode stream
  type passive
  type active

  structure AF :
  sig
    type addr_family = NetHostDB.addr_family
    (* All families of addresses, with their names. *)
    val list : unit -> (string * addr_family) list
    (* The family's name, as `INET`. *)
    val toString : addr_family -> string
    (* SOME of the family of that name, or NONE. *)
    val fromString : string -> addr_family option
  end
  structure SOCK :
  sig
    eqtype sock_type
    (* Sockets of connections: bytes in order. *)
    val stream : sock_type
    (* Sockets of single messages. *)
    val dgram : sock_type
    (* All kinds of sockets, with their names. *)
    val list : unit -> (string * sock_type) list
    (* The kind's name, as `STREAM`. *)
    val toString : sock_type -> string
    (* SOME of the kind of that name, or NONE. *)
    val fromString : string -> sock_type option
  end
  structure Ctl :
  sig
    (* The option SO_DEBUG: whether the system notes what it does. *)
    val getDEBUG : ('af, 'sock_type) sock -> bool
    (* Sets the option SO_DEBUG. *)
    val setDEBUG : ('af, 'sock_type) sock * bool -> unit
    (* The option SO_REUSEADDR: whether an address may be bound that a connection was using shortly before. *)
    val getREUSEADDR : ('af, 'sock_type) sock -> bool
    (* Sets the option SO_REUSEADDR. *)
    val setREUSEADDR : ('af, 'sock_type) sock * bool -> unit
    (* The option SO_KEEPALIVE: whether the system asks idle peers whether they are alive. *)
    val getKEEPALIVE : ('af, 'sock_type) sock -> bool
    (* Sets the option SO_KEEPALIVE. *)
    val setKEEPALIVE : ('af, 'sock_type) sock * bool -> unit
    (* The option SO_DONTROUTE: whether messages go only to hosts that are connected directly. *)
    val getDONTROUTE : ('af, 'sock_type) sock -> bool
    (* Sets the option SO_DONTROUTE. *)
    val setDONTROUTE : ('af, 'sock_type) sock * bool -> unit
    (* The option SO_LINGER: SOME of how long closing may wait for what was not sent yet, or NONE. *)
    val getLINGER : ('af, 'sock_type) sock -> Time.time option
    (* Sets the option SO_LINGER. Raises Time when the time is negative or too long. *)
    val setLINGER : ('af, 'sock_type) sock * Time.time option -> unit
    (* The option SO_BROADCAST: whether messages may go to all hosts. *)
    val getBROADCAST : ('af, 'sock_type) sock -> bool
    (* Sets the option SO_BROADCAST. *)
    val setBROADCAST : ('af, 'sock_type) sock * bool -> unit
    (* The option SO_OOBINLINE: whether urgent bytes stand among the others. *)
    val getOOBINLINE : ('af, 'sock_type) sock -> bool
    (* Sets the option SO_OOBINLINE. *)
    val setOOBINLINE : ('af, 'sock_type) sock * bool -> unit
    (* The option SO_SNDBUF: bytes that the system keeps for sending. *)
    val getSNDBUF : ('af, 'sock_type) sock -> int
    (* Sets the option SO_SNDBUF. *)
    val setSNDBUF : ('af, 'sock_type) sock * int -> unit
    (* The option SO_RCVBUF: bytes that the system keeps of what has come. *)
    val getRCVBUF : ('af, 'sock_type) sock -> int
    (* Sets the option SO_RCVBUF. *)
    val setRCVBUF : ('af, 'sock_type) sock * int -> unit
    (* The socket's kind. *)
    val getTYPE : ('af, 'sock_type) sock -> SOCK.sock_type
    (* Whether there was an error since the last question. *)
    val getERROR : ('af, 'sock_type) sock -> bool
    (* The address of the other end. Raises OS.SysErr when the socket is not connected. *)
    val getPeerName : ('af, 'sock_type) sock -> 'af sock_addr
    (* The socket's own address. *)
    val getSockName : ('af, 'sock_type) sock -> 'af sock_addr
    (* How many bytes can be read without waiting. *)
    val getNREAD : ('af, 'sock_type) sock -> int
    (* Whether the next byte is the one that was marked as urgent. *)
    val getATMARK : ('af, active stream) sock -> bool
  end

  (* Whether both addresses are the same. *)
  val sameAddr : 'af sock_addr * 'af sock_addr -> bool
  (* The address's family. *)
  val familyOfAddr : 'af sock_addr -> AF.addr_family
  (* Gives the socket an address. Raises OS.SysErr when it is in use. *)
  val bind : ('af, 'sock_type) sock * 'af sock_addr -> unit
  (* Lets connections come; so many may wait to be accepted. *)
  val listen : ('af, passive stream) sock * int -> unit
  (* Blocks until there is a connection, and gives it and the peer's address. It also waits for a descriptor, when the
     program has no more, and says so on standard error. *)
  val accept : ('af, passive stream) sock -> ('af, active stream) sock * 'af sock_addr
  (* SOME of a connection that waits, or NONE. Raises OS.SysErr ("mfile") when there is no descriptor for it. *)
  val acceptNB : ('af, passive stream) sock -> (('af, active stream) sock * 'af sock_addr) option
  (* Connects the socket to an address; blocks until that is done. Raises OS.SysErr when the peer refuses. *)
  val connect : ('af, 'sock_type) sock * 'af sock_addr -> unit
  (* Begins to connect: true when it is done, false when it is under way. *)
  val connectNB : ('af, 'sock_type) sock * 'af sock_addr -> bool
  (* Closes the socket. *)
  val close : ('af, 'sock_type) sock -> unit

  datatype shutdown_mode = NO_RECVS | NO_SENDS | NO_RECVS_OR_SENDS
  (* Ends one or both directions of a connection. *)
  val shutdown : ('af, 'mode stream) sock * shutdown_mode -> unit

  type sock_desc
  (* The socket as something that `select` waits for. *)
  val sockDesc : ('af, 'sock_type) sock -> sock_desc
  (* Whether both are of the same socket. *)
  val sameDesc : sock_desc * sock_desc -> bool
  (* Blocks until one of them can be read, can be written or has something urgent, at most so long; gives those that
     are ready, in the order in which they were given. *)
  val select :
    {rds : sock_desc list, wrs : sock_desc list, exs : sock_desc list, timeout : Time.time option}
    -> {rds : sock_desc list, wrs : sock_desc list, exs : sock_desc list}
  (* The socket as a descriptor for `OS.IO`. *)
  val ioDesc : ('af, 'sock_type) sock -> OS.IO.iodesc

  type out_flags = {don't_route : bool, oob : bool}
  type in_flags = {peek : bool, oob : bool}

  (* Sends bytes; blocks until the system takes some, and gives how many it took. *)
  val sendVec : ('af, active stream) sock * Word8VectorSlice.slice -> int
  (* Sends bytes of an array; blocks until the system takes some, and gives how many it took. *)
  val sendArr : ('af, active stream) sock * Word8ArraySlice.slice -> int
  (* As `sendVec`, with flags. *)
  val sendVec' : ('af, active stream) sock * Word8VectorSlice.slice * out_flags -> int
  (* As `sendArr`, with flags. *)
  val sendArr' : ('af, active stream) sock * Word8ArraySlice.slice * out_flags -> int
  (* SOME of how many bytes the system took, or NONE where `sendVec` would block. *)
  val sendVecNB : ('af, active stream) sock * Word8VectorSlice.slice -> int option
  (* As `sendVecNB`, with flags. *)
  val sendVecNB' : ('af, active stream) sock * Word8VectorSlice.slice * out_flags -> int option
  (* SOME of how many bytes the system took, or NONE where `sendArr` would block. *)
  val sendArrNB : ('af, active stream) sock * Word8ArraySlice.slice -> int option
  (* As `sendArrNB`, with flags. *)
  val sendArrNB' : ('af, active stream) sock * Word8ArraySlice.slice * out_flags -> int option

  (* Blocks until there are bytes, and gives n at most; none when the peer sends no more. *)
  val recvVec : ('af, active stream) sock * int -> Word8Vector.vector
  (* As `recvVec`, with flags. *)
  val recvVec' : ('af, active stream) sock * int * in_flags -> Word8Vector.vector
  (* Blocks until there are bytes, and puts them into the part of an array; gives how many, 0 when the peer sends no
     more. *)
  val recvArr : ('af, active stream) sock * Word8ArraySlice.slice -> int
  (* As `recvArr`, with flags. *)
  val recvArr' : ('af, active stream) sock * Word8ArraySlice.slice * in_flags -> int
  (* As `recvVec`, or NONE where that would block. *)
  val recvVecNB : ('af, active stream) sock * int -> Word8Vector.vector option
  (* As `recvVecNB`, with flags. *)
  val recvVecNB' : ('af, active stream) sock * int * in_flags -> Word8Vector.vector option
  (* As `recvArr`, or NONE where that would block. *)
  val recvArrNB : ('af, active stream) sock * Word8ArraySlice.slice -> int option
  (* As `recvArrNB`, with flags. *)
  val recvArrNB' : ('af, active stream) sock * Word8ArraySlice.slice * in_flags -> int option

  (* Sends a message to an address; blocks until the system takes it. *)
  val sendVecTo : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice -> unit
  (* Sends a message, bytes of an array, to an address; blocks until the system takes it. *)
  val sendArrTo : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice -> unit
  (* As `sendVecTo`, with flags. *)
  val sendVecTo' : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice * out_flags -> unit
  (* As `sendArrTo`, with flags. *)
  val sendArrTo' : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice * out_flags -> unit
  (* Sends a message to an address; false where `sendVecTo` would block. *)
  val sendVecToNB : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice -> bool
  (* As `sendVecToNB`, with flags. *)
  val sendVecToNB' : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice * out_flags -> bool
  (* Sends a message, bytes of an array, to an address; false where `sendArrTo` would block. *)
  val sendArrToNB : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice -> bool
  (* As `sendArrToNB`, with flags. *)
  val sendArrToNB' : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice * out_flags -> bool

  (* Blocks until there is a message; gives its first n bytes at most, and where it came from. *)
  val recvVecFrom : ('af, dgram) sock * int -> Word8Vector.vector * 'af sock_addr
  (* As `recvVecFrom`, with flags. *)
  val recvVecFrom' : ('af, dgram) sock * int * in_flags -> Word8Vector.vector * 'af sock_addr
  (* Blocks until there is a message, and puts it into the part of an array; gives how many bytes, and where it came
     from. *)
  val recvArrFrom : ('af, dgram) sock * Word8ArraySlice.slice -> int * 'af sock_addr
  (* As `recvArrFrom`, with flags. *)
  val recvArrFrom' : ('af, dgram) sock * Word8ArraySlice.slice * in_flags -> int * 'af sock_addr
  (* As `recvVecFrom`, or NONE where that would block. *)
  val recvVecFromNB : ('af, dgram) sock * int -> (Word8Vector.vector * 'af sock_addr) option
  (* As `recvVecFromNB`, with flags. *)
  val recvVecFromNB' :
    ('af, dgram) sock * int * in_flags -> (Word8Vector.vector * 'af sock_addr) option
  (* As `recvArrFrom`, or NONE where that would block. *)
  val recvArrFromNB : ('af, dgram) sock * Word8ArraySlice.slice -> (int * 'af sock_addr) option
  (* As `recvArrFromNB`, with flags. *)
  val recvArrFromNB' :
    ('af, dgram) sock * Word8ArraySlice.slice * in_flags -> (int * 'af sock_addr) option
end

(* SOCKET, and events. Those that send are of this system; SML/NJ has the others. *)
signature CML_SOCKET =
sig
  include SOCKET
  (* Happens when there is a connection, and a descriptor for it; its result is that of `accept`. *)
  val acceptEvt :
    ('af, passive stream) sock -> (('af, active stream) sock * 'af sock_addr) CML.event
  (* Begins to connect at the synchronisation, and happens when that is done. *)
  val connectEvt : ('af, 'sock_type) sock * 'af sock_addr -> unit CML.event
  (* Happens when there may be something to receive: bytes, a message, a connection, the end, an error. It takes
     nothing, and others may be faster: ask by a function that does not wait, and wait again. The events below call one
     that waits, deaf to the other events of a choice. *)
  val readableEvt : ('af, 'sock_type) sock -> unit CML.event
  (* The same for sending. *)
  val writableEvt : ('af, 'sock_type) sock -> unit CML.event
  (* Happens when there are bytes, or the peer sends no more; its result is that of `recvVec`. *)
  val recvVecEvt : ('af, active stream) sock * int -> Word8Vector.vector CML.event
  (* As `recvVecEvt`, with flags. *)
  val recvVecEvt' : ('af, active stream) sock * int * in_flags -> Word8Vector.vector CML.event
  (* Happens when there are bytes, or the peer sends no more; its result is that of `recvArr`. *)
  val recvArrEvt : ('af, active stream) sock * Word8ArraySlice.slice -> int CML.event
  (* As `recvArrEvt`, with flags. *)
  val recvArrEvt' : ('af, active stream) sock * Word8ArraySlice.slice * in_flags -> int CML.event
  (* Happens when there is a message; its result is that of `recvVecFrom`. *)
  val recvVecFromEvt : ('af, dgram) sock * int -> (Word8Vector.vector * 'af sock_addr) CML.event
  (* As `recvVecFromEvt`, with flags. *)
  val recvVecFromEvt' :
    ('af, dgram) sock * int * in_flags -> (Word8Vector.vector * 'af sock_addr) CML.event
  (* Happens when there is a message; its result is that of `recvArrFrom`. *)
  val recvArrFromEvt : ('af, dgram) sock * Word8ArraySlice.slice -> (int * 'af sock_addr) CML.event
  (* As `recvArrFromEvt`, with flags. *)
  val recvArrFromEvt' :
    ('af, dgram) sock * Word8ArraySlice.slice * in_flags -> (int * 'af sock_addr) CML.event
  (* Happens when the system takes bytes; its result is how many. *)
  val sendVecEvt : ('af, active stream) sock * Word8VectorSlice.slice -> int CML.event
  (* As `sendVecEvt`, with flags. *)
  val sendVecEvt' : ('af, active stream) sock * Word8VectorSlice.slice * out_flags -> int CML.event
  (* Happens when the system takes bytes of the array; its result is how many. *)
  val sendArrEvt : ('af, active stream) sock * Word8ArraySlice.slice -> int CML.event
  (* As `sendArrEvt`, with flags. *)
  val sendArrEvt' : ('af, active stream) sock * Word8ArraySlice.slice * out_flags -> int CML.event
  (* Happens when the system takes the message. *)
  val sendVecToEvt : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice -> unit CML.event
  (* Happens when the system takes the message, bytes of an array. *)
  val sendArrToEvt : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice -> unit CML.event
end
