(* GenericSock: sockets of any family and kind, by the system's numbers. *)

signature GENERIC_SOCK =
sig
  (* Makes a socket of that family and kind. Raises OS.SysErr when the system refuses. *)
  val socket : Socket.AF.addr_family * Socket.SOCK.sock_type -> ('af, 'sock_type) Socket.sock
  (* Makes two sockets that are connected with each other. *)
  val socketPair :
    Socket.AF.addr_family * Socket.SOCK.sock_type
    -> ('af, 'sock_type) Socket.sock * ('af, 'sock_type) Socket.sock
  (* As `socket`, of the protocol with that number. *)
  val socket' : Socket.AF.addr_family * Socket.SOCK.sock_type * int -> ('af, 'sock_type) Socket.sock
  (* As `socketPair`, of the protocol with that number. *)
  val socketPair' :
    Socket.AF.addr_family * Socket.SOCK.sock_type * int
    -> ('af, 'sock_type) Socket.sock * ('af, 'sock_type) Socket.sock
end

structure GenericSock : GENERIC_SOCK =
struct
  fun socket' p = Socket'.socket p
  fun socketPair' p = Socket'.socketPair p
  fun socket (family, kind) = socket' (family, kind, 0)
  fun socketPair (family, kind) = socketPair' (family, kind, 0)
end
