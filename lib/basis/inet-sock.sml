(* INetSock: sockets of the Internet's protocol 4; and the functor that makes them for protocol 6 too (inet6.sml). *)

signature INET_SOCK =
sig
  type inet
  type 'sock_type sock = (inet, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = inet Socket.sock_addr

  (* The family of IPv4 addresses. *)
  val inetAF : Socket.AF.addr_family
  (* The address of a host and a port on it. *)
  val toAddr : NetHostDB.in_addr * int -> sock_addr
  (* The host and the port of an address. *)
  val fromAddr : sock_addr -> NetHostDB.in_addr * int
  (* This port of every address of the host. *)
  val any : int -> sock_addr

  structure UDP :
  sig
    (* Makes a socket for single messages (UDP). *)
    val socket : unit -> dgram_sock
    (* As `socket`, of the protocol with that number. *)
    val socket' : int -> dgram_sock
  end
  structure TCP :
  sig
    (* Makes a socket for connections (TCP). *)
    val socket : unit -> 'mode stream_sock
    (* As `socket`, of the protocol with that number. *)
    val socket' : int -> 'mode stream_sock
    (* The option TCP_NODELAY: whether small parts are sent at once. *)
    val getNODELAY : 'mode stream_sock -> bool
    (* Sets the option TCP_NODELAY. *)
    val setNODELAY : 'mode stream_sock * bool -> unit
  end
end

(* The sockets of one family of addresses. For the library. *)
functor INetSock'
  (val family : int
   (* its addresses *)
   type in_addr
   val ofBytes : string -> in_addr
   val toBytes : in_addr -> string
   (* bytes of the system's address; what stands in front of the host's address and behind it, after family and port *)
   val bytes : int
   val front : string
   val back : string) =
struct
  structure S = Socket'
  datatype inet = Inet
  type 'sock_type sock = (inet, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = inet Socket.sock_addr

  val inetAF = S.AF.Family family
  val first = 4 + size front
  fun byte n = String.str (Char.chr n)
  (* family, then the port in the network's order *)
  fun toAddr (host, port) =
    if port < 0 orelse port > 65535 then Error'.fail 22
    else
      S.Addr (String.concat [byte family,
                             byte 0,
                             byte (port div 256),
                             byte (port mod 256),
                             front,
                             toBytes host,
                             back])
  fun fromAddr (S.Addr a) =
    if size a < first + bytes orelse S.familyOfAddr (S.Addr a) <> inetAF then Error'.fail 97
    else
      (ofBytes (String.substring (a, first, bytes)),
       256 * Char.ord (String.sub (a, 2)) + Char.ord (String.sub (a, 3)))
  fun any port = toAddr (ofBytes (CharVector.tabulate (bytes, fn _ => #"\000")), port)

  structure UDP =
  struct
    fun socket' protocol = S.socket (inetAF, S.SOCK.dgram, protocol)
    fun socket () = socket' 0
  end
  structure TCP =
  struct
    val tcp = 6
    fun socket' protocol = S.socket (inetAF, S.SOCK.stream, protocol)
    fun socket () = socket' 0
    fun getNODELAY s = S.get (s, tcp, 1) <> 0
    fun setNODELAY (s, yes) = S.set (s, tcp, 1, if yes then 1 else 0)
  end
end

structure INetSock :> INET_SOCK =
  INetSock' (val family = Inet4'.family
             type in_addr = NetHostDB'.in_addr
             val ofBytes = NetHostDB'.InAddr
             fun toBytes (NetHostDB'.InAddr a) = a
             val bytes = Inet4'.bytes
             val front = ""
             val back = "\000\000\000\000\000\000\000\000")
