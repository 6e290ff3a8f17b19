(* NetHostDB, NetProtDB, NetServDB: names and numbers of hosts, protocols and services.

   Name servers may take long: they are asked on another OS thread, and the SML thread is parked. *)

signature NET_HOST_DB =
sig
  eqtype in_addr
  eqtype addr_family
  type entry

  (* The host's proper name. *)
  val name : entry -> string
  (* The host's other names. *)
  val aliases : entry -> string list
  (* The family of its addresses. *)
  val addrType : entry -> addr_family
  (* Its first address. *)
  val addr : entry -> in_addr
  (* All of its addresses. *)
  val addrs : entry -> in_addr list
  (* SOME of the host of that name, or NONE when there is none. It may ask the network: other threads run
     meanwhile. *)
  val getByName : string -> entry option
  (* SOME of the host with that address, or NONE when there is none. It may ask the network. *)
  val getByAddr : in_addr -> entry option
  (* The name of this host. *)
  val getHostName : unit -> string
  (* Reads an address: a.b.c.d, a.b.c, a.b or a, in decimal, octal (0...) or hexadecimal (0x...) numbers. *)
  val scan : (char, 'a) StringCvt.reader -> (in_addr, 'a) StringCvt.reader
  (* Reads an address as `scan` does, from the start of the string; NONE when there is none. *)
  val fromString : string -> in_addr option
  (* The address as a.b.c.d. *)
  val toString : in_addr -> string
end

signature NET_PROT_DB =
sig
  type entry
  (* The protocol's proper name. *)
  val name : entry -> string
  (* The protocol's other names. *)
  val aliases : entry -> string list
  (* The protocol's number. *)
  val protocol : entry -> int
  (* SOME of the protocol of that name, or NONE. *)
  val getByName : string -> entry option
  (* SOME of the protocol with that number, or NONE. *)
  val getByNumber : int -> entry option
end

signature NET_SERV_DB =
sig
  type entry
  (* The service's proper name. *)
  val name : entry -> string
  (* The service's other names. *)
  val aliases : entry -> string list
  (* The port of the service. *)
  val port : entry -> int
  (* The name of the protocol that it is reached by. *)
  val protocol : entry -> string
  (* SOME of the service of that name, by that protocol or by any, or NONE. *)
  val getByName : string * string option -> entry option
  (* SOME of the service at that port, by that protocol or by any, or NONE. *)
  val getByPort : int * string option -> entry option
end

(* What the signatures keep abstract, for the library: the system's number of a family of addresses. *)
structure AddrFamily' =
struct
  datatype addr_family = Family of int
end

(* Addresses like 127.0.0.1: four bytes. *)
structure Inet4' =
struct
  (* the system's number *)
  val family = AddressFamily'.inet
  val bytes = 4

  fun toString a = String.concatWith "." (List.map (Int.toString o Char.ord) (String.explode a))

  (* The last of the parts fills all bytes that are left. The scanner of hexadecimal numbers takes "0x" itself. *)
  fun scan getc src =
    let
      fun digits (radix, src) =
        case LargeInt.scan radix getc src of
          found as SOME _ => found
        | NONE => NONE
      fun isDigit src = case getc src of SOME (c, _) => Char.isDigit c | NONE => false
      fun number src =
        case getc src of
          SOME (#"0", rest) =>
            (case getc rest of
               SOME (c, _) =>
                 if c = #"x" orelse c = #"X" then digits (StringCvt.HEX, src)
                 else if c >= #"0" andalso c <= #"7" then digits (StringCvt.OCT, rest)
                 else SOME (0, rest)
             | NONE => SOME (0, rest))
        | SOME (c, _) => if Char.isDigit c then digits (StringCvt.DEC, src) else NONE
        | NONE => NONE
      fun parts (src, found) =
        case number src of
          NONE => NONE
        | SOME (n, rest) =>
            case getc rest of
              SOME (#".", after) =>
                if List.length found < 3 andalso isDigit after then parts (after, n :: found)
                else SOME (n :: found, rest)
            | _ => SOME (n :: found, rest)
      fun byte n = String.str (Char.chr (LargeInt.toInt n))
      fun bytes (_, 0) = ""
        | bytes (n, k) = bytes (n div 256, k - 1) ^ byte (n mod 256)
      fun power 0 = 1 : LargeInt.int
        | power k = 256 * power (k - 1)
    in
      case parts (src, []) of
        SOME (last :: front, rest) =>
          let
            val room = 4 - List.length front
          in
            if List.all (fn n => n < 256) front andalso last < power room then
              SOME (String.concat (List.map byte (List.rev front)) ^ bytes (last, room), rest)
            else NONE
          end
      | _ => NONE
    end
end

(* The data base of the hosts of one family, with its types open. For the library. *)
functor HostDB'
  (val family : int
   val toString : string -> string
   val scan : (char, 'a) StringCvt.reader -> (string, 'a) StringCvt.reader) =
struct
  (* the bytes of the address, as many as the family has *)
  datatype in_addr = InAddr of string
  datatype addr_family = datatype AddrFamily'.addr_family
  type entry = {name : string, aliases : string list, addrs : in_addr list}

  val ask = PrimNetwork'.net_entry

  fun name (e : entry) = #name e
  fun aliases (e : entry) = #aliases e
  fun addrType (_ : entry) = Family family
  fun addrs (e : entry) = #addrs e
  fun addr e = List.hd (addrs e)
  val bytesToString = toString
  fun toString (InAddr a) = bytesToString a
  val scanBytes = scan
  fun scan getc src =
    Option.map (fn (a, rest) => (InAddr a, rest)) (scanBytes getc (StringCvt.skipWS getc src))
  fun fromString s = StringCvt.scanString scan s

  fun unique [] = []
    | unique (a :: rest) = a :: unique (List.filter (fn b => b <> a) rest)
  fun getByName host =
    case Job'.run (Job'.addresses, host, family, 0) of
      (0, text) =>
        (case Nul'.split text of
           name :: addrs =>
             (case unique (List.mapPartial fromString addrs) of
                [] => NONE
              | addrs =>
                  SOME {name = name, aliases = if name = host then [] else [host], addrs = addrs})
         | [] => NONE)
    | _ => NONE
  fun getByAddr a =
    case Job'.run (Job'.hostName, toString a, 0, 0) of
      (0, name) => SOME {name = name, aliases = [], addrs = [a]}
    | _ => NONE
  fun getHostName () = ask (4, "")
end

structure NetHostDB' = HostDB' (Inet4')

structure NetHostDB :> NET_HOST_DB
  where type in_addr = NetHostDB'.in_addr
  where type addr_family = NetHostDB'.addr_family =
  NetHostDB'

structure NetProtDB :> NET_PROT_DB =
struct
  type entry = {name : string, aliases : string list, protocol : int}
  fun name (e : entry) = #name e
  fun aliases (e : entry) = #aliases e
  fun protocol (e : entry) = #protocol e
  fun get (what, key) =
    case Nul'.split (NetHostDB'.ask (what, key)) of
      name :: number :: aliases =>
        SOME {name = name, aliases = aliases, protocol = valOf (Int.fromString number)}
    | _ => NONE
  fun getByName name = get (0, name)
  fun getByNumber n = if n < 0 then NONE else get (1, Int.toString n)
end

structure NetServDB :> NET_SERV_DB =
struct
  type entry = {name : string, aliases : string list, port : int, protocol : string}
  fun name (e : entry) = #name e
  fun aliases (e : entry) = #aliases e
  fun port (e : entry) = #port e
  fun protocol (e : entry) = #protocol e
  fun get (what, key, protocol) =
    case Nul'.split (NetHostDB'.ask (what, key ^ "/" ^ getOpt (protocol, ""))) of
      name :: port :: protocol :: aliases =>
        SOME
          {name = name, aliases = aliases, port = valOf (Int.fromString port), protocol = protocol}
    | _ => NONE
  fun getByName (name, protocol) = get (2, name, protocol)
  fun getByPort (port, protocol) =
    if port < 0 orelse port > 65535 then NONE else get (3, Int.toString port, protocol)
end
