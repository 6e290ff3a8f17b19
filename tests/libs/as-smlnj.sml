(* Where SML/NJ's library, or its manual, gives other answers than these functions did. *)
fun line s = print (s ^ "\n")

(* The order of components: a node's last edge is followed first, so that its first is the first in the result. *)
structure SCC =
  GraphSCCFn (type ord_key = int val compare = Int.compare)
fun component (SCC.SIMPLE n) = Int.toString n
  | component (SCC.RECURSIVE l) = "[" ^ String.concatWith " " (map Int.toString l) ^ "]"
fun order edges =
  line (String.concatWith " " (map component (SCC.topOrder {root = 0, follow = fn n => Vector.sub (edges, n)})))
val () = order #[[1, 2], [], []]
val () = order #[[1, 2, 3], [4], [4, 1], [], [5], [4]]

(* The port is optional: a colon, and what is no port, are left. A number ends where its digits end. *)
fun address s =
  case SockUtil.scanAddr Substring.getc (Substring.full s) of
    NONE => line "none"
  | SOME ({host, port}, rest) =>
      line
        ((case host of SockUtil.HostName n => n | SockUtil.HostAddr a => NetHostDB.toString a)
         ^ (case port of NONE => "" | SOME (SockUtil.PortNumber n) => " port " ^ Int.toString n | SOME (SockUtil.ServName s) => " service " ^ s)
         ^ " [" ^ Substring.string rest ^ "]")
val () = List.app address ["localhost:", "h:80abc", "h:http x", "127.0.0.1:-", "h:8.0", "h:a-b.c:d"]
(* a name stays as it is asked for *)
val () =
  line (#host (SockUtil.resolveAddr {host = SockUtil.HostName "LocalHost", port = NONE})
        handle SockUtil.BadAddr _ => "LocalHost")

(* White space before an identifier is ignored. *)
val text = UUID.toString UUID.null
fun identifier s = line (case UUID.fromString s of SOME u => Bool.toString (UUID.same (u, UUID.null)) | NONE => "none")
val () = List.app identifier [" \n\t" ^ text, text, text ^ " ", " " ^ String.extract (text, 1, NONE)]

(* Files of any type are found, unless one is asked for. *)
val () = line (getOpt (UnixPath.findFile (["/no", "/"], []) "tmp", "none"))
val () = line (getOpt (UnixPath.findFile (["/dev"], [UnixPath.A_READ]) "null", "none"))
val () = line (getOpt (UnixPath.findFileOfType (["/"], UnixPath.F_REGULAR, []) "tmp", "none"))
val () = line (String.concatWith " " (UnixPath.findFiles (["/dev", "/", "/dev"], []) "null"))

(* Others have their turn before an `exec` is asked whether it has ended. *)
local
  open Reactive
  val isDone = ref false
  val begun = exec (fn _ => {stop = fn () => (), done = fn () => !isDone})
  val m = machine {inputs = [], outputs = [], body = || (begun, action (fn _ => isDone := true))}
in
  val () = line (Bool.toString (run m))
end
