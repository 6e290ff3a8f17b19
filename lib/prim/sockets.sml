(* Sockets, with the system's numbers; addresses are strings of bytes as the system has them.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimSockets' =
struct
  (* domain * type * protocol -> fd *)
  val socket_new = _prim "socket_new" : int * int * int -> int

  (* domain * type * protocol * int array of 2 *)
  val socket_pair = _prim "socket_pair" : int * int * int * int array -> int

  (* fd * address *)
  val socket_bind = _prim "socket_bind" : int * string -> int

  (* fd * address; EINPROGRESS: decided when it can be written to *)
  val socket_connect = _prim "socket_connect" : int * string -> int

  (* fd * length of the queue *)
  val socket_listen = _prim "socket_listen" : int * int -> int

  (* fd * (1 to ask whatever is known) * byte array for the address * int array for its length ->
     fd *)
  val socket_accept = _prim "socket_accept" : int * int * char array * int array -> int

  (* fd * (0 its own, 1 its peer's) * int array for the error -> address *)
  val socket_name = _prim "socket_name" : int * int * int array -> string

  (* (fd + flags * 2^32; flag 2^30: ask whatever is known) * bytes * start * count -> bytes sent *)
  val socket_send = _prim "socket_send" : int * word8 array * int * int -> int
  val socket_send_vector = _prim "socket_send" : int * word8 vector * int * int -> int

  (* likewise * address *)
  val socket_send_to = _prim "socket_send_to" : int * word8 array * int * int * string -> int
  val socket_send_to_vector =
    _prim "socket_send_to" : int * word8 vector * int * int * string -> int

  (* (fd + flags * 2^32) * byte array * start * count -> bytes received *)
  val socket_receive = _prim "socket_receive" : int * word8 array * int * int -> int

  (* (fd + flags * 2^32) * byte array * count * byte array for the address * int array of 2: its
     length; start *)
  val socket_receive_from =
    _prim "socket_receive_from" : int * word8 array * int * char array * int array -> int

  (* fd * (0 reading, 1 writing, 2 both) *)
  val socket_shutdown = _prim "socket_shutdown" : int * int -> int

  (* fd * level * name * int array of 2: the option's value *)
  val socket_get = _prim "socket_get" : int * int * int * int array -> int

  (* fd * level * name * int array of 2 * how many of its ints count *)
  val socket_set = _prim "socket_set" : int * int * int * int array * int -> int

  (* fd * (0 bytes to read, 1 whether at the mark) *)
  val socket_ask = _prim "socket_ask" : int * int -> int
end
