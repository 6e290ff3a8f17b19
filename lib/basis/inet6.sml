(* Net6HostDB and INet6Sock: hosts and sockets of the Internet's protocol 6, in the same terms as those of protocol 4.
   A link's scope is not kept: addresses that need one cannot be told apart. *)

(* Addresses like fe80::1: sixteen bytes, as RFC 4291 writes them. *)
structure Inet6' =
struct
  (* the system's number *)
  val family = 10
  val bytes = 16

  fun byte (a, i) = Char.ord (String.sub (a, i))
  fun group a i = 256 * byte (a, 2 * i) + byte (a, 2 * i + 1)

  (* The longest run of groups that are 0, the first of several: its start and its length. *)
  fun zeros groups =
    let
      fun best ((i, n), (j, m)) = if n > m then (i, n) else (j, m)
      fun go ([], _, run, found) = best (run, found)
        | go (0 :: rest, i, (start, n), found) = go (rest, i + 1, (start, n + 1), found)
        | go (_ :: rest, i, run, found) = go (rest, i + 1, (i + 1, 0), best (run, found))
    in
      go (groups, 0, (0, 0), (0, 0))
    end

  (* As RFC 5952 wants it: small letters, no zeros in front, the longest run of at least two zeros as "::". *)
  fun toString a =
    let
      val groups = List.tabulate (8, group a)
      val hex = String.map Char.toLower o Int.fmt StringCvt.HEX
      fun join l = String.concatWith ":" (List.map hex l)
    in
      case groups of
        [0, 0, 0, 0, 0, 65535, _, _] => "::ffff:" ^ Inet4'.toString (String.extract (a, 12, NONE))
      | _ =>
          case zeros groups of
            (start, n) =>
              if n < 2 then join groups
              else join (List.take (groups, start)) ^ "::" ^ join (List.drop (groups, start + n))
    end

  (* up to four digits *)
  fun scanGroup getc src =
    let
      fun go (n, k, src) =
        case getc src of
          SOME (c, rest) =>
            if k < 4 andalso Char.isHexDigit c then
              go (16 * n + valOf (StringCvt.scanString (Int.scan StringCvt.HEX) (String.str c)),
                  k + 1,
                  rest)
            else (n, k, src)
        | NONE => (n, k, src)
    in
      case go (0, 0, src) of
        (_, 0, _) => NONE
      | (n, _, rest) => SOME (n, rest)
    end

  (* a.b.c.d at the end of an address: two groups *)
  fun scanDotted getc src =
    let
      fun decimal src =
        case getc src of
          SOME (c, _) =>
            if Char.isDigit c then Int.scan StringCvt.DEC getc src handle Overflow => NONE else NONE
        | NONE => NONE
      fun parts (src, found) =
        case decimal src of
          NONE => NONE
        | SOME (n, rest) =>
            if n > 255 then NONE
            else if List.length found = 3 then SOME (List.rev (n :: found), rest)
            else
              case getc rest of
                SOME (#".", rest) => parts (rest, n :: found)
              | _ => NONE
    in
      case parts (src, []) of
        SOME ([a, b, c, d], rest) => SOME ([256 * a + b, 256 * c + d], rest)
      | _ => NONE
    end

  fun scan getc src =
    let
      (* front: the groups before "::", if that was met; found: the groups since, last first *)
      fun result (front, found, src) =
        let
          val found = List.rev found
          val groups =
            case front of
              NONE => found
            | SOME front =>
                front @ List.tabulate (8 - List.length front - List.length found, fn _ => 0) @ found
          fun bytes n = String.implode [Char.chr (n div 256), Char.chr (n mod 256)]
        in
          if List.length groups = 8 then SOME (String.concat (List.map bytes groups), src) else NONE
        end
        handle Size => NONE
      fun count (front, found) =
        List.length found + (case front of NONE => 0 | SOME l => List.length l + 1)
      (* a group is to come; stop: what it is without one *)
      fun more (front, found, src, stop) =
        let
          val room = 8 - count (front, found)
        in
          case if room >= 2 then scanDotted getc src else NONE of
            SOME (two, rest) => result (front, List.rev two @ found, rest)
          | NONE =>
              case if room >= 1 then scanGroup getc src else NONE of
                SOME (n, rest) => after (front, n :: found, rest)
              | NONE => stop ()
        end
      and after (front, found, src) =
        case getc src of
          SOME (#":", rest) =>
            (case (front, getc rest) of
               (NONE, SOME (#":", rest)) =>
                 let
                   val front = SOME (List.rev found)
                 in
                   more (front, [], rest, fn () => result (front, [], rest))
                 end
             | _ => more (front, found, rest, fn () => result (front, found, src)))
        | _ => result (front, found, src)
    in
      case getc src of
        SOME (#":", rest) =>
          (case getc rest of
             SOME (#":", rest) => more (SOME [], [], rest, fn () => result (SOME [], [], rest))
           | _ => NONE)
      | _ => more (NONE, [], src, fn () => NONE)
    end
end

structure Net6HostDB' = HostDB' (Inet6')
structure Net6HostDB :> NET_HOST_DB
  where type in_addr = Net6HostDB'.in_addr
  where type addr_family = NetHostDB.addr_family = Net6HostDB'

signature INET6_SOCK =
sig
  type inet6
  type 'sock_type sock = (inet6, 'sock_type) Socket.sock
  type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock
  type sock_addr = inet6 Socket.sock_addr

  (* The family of IPv6 addresses. *)
  val inetAF : Socket.AF.addr_family
  (* The address of a host and a port on it. *)
  val toAddr : Net6HostDB.in_addr * int -> sock_addr
  (* The host and the port of an address. *)
  val fromAddr : sock_addr -> Net6HostDB.in_addr * int
  (* this port of every address of the host *)
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

structure INet6Sock :> INET6_SOCK =
struct
  structure Sock =
    INetSock' (val family = Inet6'.family
               type in_addr = Net6HostDB'.in_addr
               val ofBytes = Net6HostDB'.InAddr
               fun toBytes (Net6HostDB'.InAddr a) = a
               val bytes = Inet6'.bytes
               (* the flow *)
               val front = "\000\000\000\000"
               (* the scope *)
               val back = "\000\000\000\000")
  open Sock
  type inet6 = inet
end
