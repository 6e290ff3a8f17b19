(* SockUtil, UnixSockUtil: addresses as text, connections, and whole messages over stream sockets. *)

signature SOCK_UTIL =
sig
  datatype port = PortNumber of int | ServName of string
  datatype hostname = HostName of string | HostAddr of NetHostDB.in_addr

  val scanAddr :
    (char, 'a) StringCvt.reader -> ({host : hostname, port : port option}, 'a) StringCvt.reader
  (* host or host:port, each a number or a name. A colon that no port stands behind is left. *)
  val addrFromString : string -> {host : hostname, port : port option} option
  (* What the string begins with, behind blanks: as scanAddr; NONE if that is no address. *)

  exception BadAddr of string

  val resolveAddr :
    {host : hostname, port : port option}
    -> {host : string, addr : NetHostDB.in_addr, port : int option}
  (* Asks the system for names; raises BadAddr for unknown ones. An address gets its name as its host, or its digits
     when it has none; a name stays as it is. *)

  type 'a stream_sock = ('a, Socket.active Socket.stream) Socket.sock

  val connectINetStrm : {addr : NetHostDB.in_addr, port : int} -> INetSock.inet stream_sock
  (* A stream socket that is connected: waits until the other side has answered. Raises OS.SysErr. *)

  val recvVec : 'a stream_sock * int -> Word8Vector.vector
  (* So many bytes: waits until they are there; fewer only if the other side ends. Raises Size for a negative number,
     OS.SysErr. *)
  val recvStr : 'a stream_sock * int -> string
  (* Likewise, as a string. *)
  val sendVec : 'a stream_sock * Word8Vector.vector -> unit
  (* Sends all of it: waits until the system has taken it. Raises OS.SysErr. *)
  val sendStr : 'a stream_sock * string -> unit
  (* Likewise the bytes of a string. *)
  val sendArr : 'a stream_sock * Word8Array.array -> unit
  (* Likewise the bytes of an array. *)
end

structure SockUtil : SOCK_UTIL =
struct
  structure C = StringCvt

  datatype port = PortNumber of int | ServName of string
  datatype hostname = HostName of string | HostAddr of NetHostDB.in_addr

  (* The longest piece of characters that satisfy f. *)
  fun word f getc s =
    let
      fun more (s, acc) =
        case getc s of
          SOME (c, s') => if f c then more (s', c :: acc) else (implode (rev acc), s)
        | NONE => (implode (rev acc), s)
    in
      more (s, [])
    end

  fun isHostChar c = Char.isAlphaNum c orelse c = #"-" orelse c = #"."

  fun scanAddr getc s =
    let
      val s = C.skipWS getc s
      val host =
        case NetHostDB.scan getc s of
          SOME (addr, s) => SOME (HostAddr addr, s)
        | NONE =>
            (case word isHostChar getc s of
               ("", _) => NONE
             | (name, s) =>
                 if Char.isAlpha (String.sub (name, 0)) then SOME (HostName name, s) else NONE)
    in
      case host of
        NONE => NONE
      | SOME (host, s) =>
          let
            fun with' (port, s) = SOME ({host = host, port = port}, s)
          in
            case getc s of
              SOME (#":", behind) =>
                (case word Char.isDigit getc behind of
                   ("", _) =>
                     (case word isHostChar getc behind of
                        ("", _) => with' (NONE, s)
                      | (name, behind) =>
                          if Char.isAlpha (String.sub (name, 0)) then
                            with' (SOME (ServName name), behind)
                          else with' (NONE, s))
                 | (digits, behind) =>
                     (case Int.fromString digits handle Overflow => NONE of
                        SOME n => with' (SOME (PortNumber n), behind)
                      | NONE => NONE))
            | _ => with' (NONE, s)
          end
    end

  fun addrFromString s = C.scanString scanAddr s

  exception BadAddr of string

  fun resolveAddr {host, port} =
    let
      val (name, addr) =
        case host of
          HostAddr addr =>
            (case NetHostDB.getByAddr addr of
               SOME entry => (NetHostDB.name entry, addr)
             | NONE => (NetHostDB.toString addr, addr))
        | HostName name =>
            (case NetHostDB.getByName name of
               SOME entry => (name, NetHostDB.addr entry)
             | NONE => raise BadAddr ("hostname \"" ^ name ^ "\" not found"))
      val port =
        case port of
          NONE => NONE
        | SOME (PortNumber n) => SOME n
        | SOME (ServName name) =>
            (case NetServDB.getByName (name, NONE) of
               SOME entry => SOME (NetServDB.port entry)
             | NONE => raise BadAddr ("service \"" ^ name ^ "\" not found"))
    in
      {host = name, addr = addr, port = port}
    end

  type 'a stream_sock = ('a, Socket.active Socket.stream) Socket.sock

  fun connectINetStrm {addr, port} =
    let
      val sock = INetSock.TCP.socket ()
    in
      (Socket.connect (sock, INetSock.toAddr (addr, port))
       handle e => (Socket.close sock; raise e));
      sock
    end

  fun recvVec (sock, n) =
    let
      fun more (0, acc) = acc
        | more (n, acc) =
            let
              val v = Socket.recvVec (sock, n)
            in
              if Word8Vector.length v = 0 then acc else more (n - Word8Vector.length v, v :: acc)
            end
    in
      if n < 0 then raise Size else Word8Vector.concat (rev (more (n, [])))
    end
  fun recvStr (sock, n) = Byte.bytesToString (recvVec (sock, n))

  fun sendVec (sock, v) =
    let
      fun from i =
        if i < Word8Vector.length v then
          from (i + Socket.sendVec (sock, Word8VectorSlice.slice (v, i, NONE)))
        else ()
    in
      from 0
    end
  fun sendStr (sock, s) = sendVec (sock, Byte.stringToBytes s)
  fun sendArr (sock, a) =
    let
      fun from i =
        if i < Word8Array.length a then
          from (i + Socket.sendArr (sock, Word8ArraySlice.slice (a, i, NONE)))
        else ()
    in
      from 0
    end
end

signature UNIX_SOCK_UTIL =
sig
  include SOCK_UTIL
  val connectUnixStrm : string -> UnixSock.unix stream_sock
  (* A stream socket that is connected to the one at this path in the file system. Raises OS.SysErr. *)
end

structure UnixSockUtil : UNIX_SOCK_UTIL =
struct
  open SockUtil

  fun connectUnixStrm path =
    let
      val sock = UnixSock.Strm.socket ()
    in
      (Socket.connect (sock, UnixSock.toAddr path) handle e => (Socket.close sock; raise e));
      sock
    end
end
