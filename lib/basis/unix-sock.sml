(* UnixSock: sockets between programs of one machine, whose addresses are paths. *)

signature UNIX_SOCK =
sig
  type unix
  type 'sock_type sock = (unix, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = unix Socket.sock_addr

  (* The family of addresses that are paths. *)
  val unixAF : Socket.AF.addr_family
  (* The address of a path; or, with a NUL in front, of a name in the system's abstract name space. *)
  val toAddr : string -> sock_addr
  (* The path of an address. *)
  val fromAddr : sock_addr -> string

  structure Strm :
  sig
    (* Makes a socket for connections. *)
    val socket : unit -> 'mode stream_sock
    (* Makes two sockets that are connected with each other. *)
    val socketPair : unit -> 'mode stream_sock * 'mode stream_sock
  end
  structure DGrm :
  sig
    (* Makes a socket for single messages. *)
    val socket : unit -> dgram_sock
    (* Makes two sockets for single messages that are connected with each other. *)
    val socketPair : unit -> dgram_sock * dgram_sock
  end
end

structure UnixSock :> UNIX_SOCK =
struct
  structure S = Socket'
  datatype unix = Unix
  type 'sock_type sock = (unix, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = unix Socket.sock_addr

  val unixAF = S.AF.unix
  (* A path ends in NUL, and has no other; an abstract name is all its bytes. None is the address of a socket without
     name. *)
  fun toAddr path =
    let
      val isPath = path <> "" andalso String.sub (path, 0) <> #"\000"
    in
      if isPath andalso Nul'.has path then Error'.fail ErrorNumber'.inval
      else if size path > (if isPath then 107 else 108) then Error'.fail ErrorNumber'.nametoolong
      else S.Addr (String.concat ["\001\000", path, if isPath then "\000" else ""])
    end
  (* up to the NUL behind it, if there is one; an abstract name begins with NUL *)
  fun fromAddr (S.Addr a) =
    let
      val path = if size a <= 2 then "" else String.extract (a, 2, NONE)
    in
      if path = "" orelse String.sub (path, 0) = #"\000" then path
      else #1 (StringCvt.splitl (fn c => c <> #"\000") Substring.getc (Substring.full path))
    end

  structure Strm =
  struct
    fun socket () = S.socket (unixAF, S.SOCK.stream, 0)
    fun socketPair () = S.socketPair (unixAF, S.SOCK.stream, 0)
  end
  structure DGrm =
  struct
    fun socket () = S.socket (unixAF, S.SOCK.dgram, 0)
    fun socketPair () = S.socketPair (unixAF, S.SOCK.dgram, 0)
  end
end
