(* Date.fmt asked for the zone's name twice, for its length and to write it. When another thread set TZ in between, and
   the second name was the longer one, it was written over what stands behind the text: the program hung, or crashed. *)
open CML

val short = "ABC0"
val long = "<" ^ CharVector.tabulate (300, fn _ => #"A") ^ ">0"
fun set tz = MLton.ProcEnv.setenv {name = "TZ", value = tz}
val () = set short
val d = Date.fromTimeLocal Time.zeroTime
val format = String.concat (List.tabulate (12, fn _ => "%Z "))

(* Each text shows one zone, whichever it is. *)
fun isOne text =
  case String.tokens Char.isSpace text of
    name :: others => length others = 11 andalso List.all (fn other => other = name) others
  | [] => false
val over = SyncVar.iVar ()
fun write wrong =
  let
    val wrong = if isOne (Date.fmt format d) then wrong else wrong + 1
  in
    if isSome (SyncVar.iGetPoll over) then wrong else write wrong
  end
val result = SyncVar.iVar ()
val _ = spawn (fn () => SyncVar.iPut (result, write 0))

fun change 0 = ()
  | change n = (set (if n mod 2 = 0 then long else short); yield (); change (n - 1))
val () = change 60
val () = SyncVar.iPut (over, ())
val wrong = SyncVar.iGet result
val () = print (if wrong = 0 then "one zone each\n" else Int.toString wrong ^ " of two zones\n")
