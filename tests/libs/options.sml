(* Options: words in all their forms, the environment, defaults, and what is said of wrong ones. *)

structure O = Options
infix 4 **
val op ** = O.**
fun say s = print (s ^ "\n")
datatype colour = RED | BLUE
fun about (name, short, env) = {name = name, short = short, env = env, help = "the " ^ name}
val options =
  O.make (fn port => fn verbose => fn rate => fn names => fn wait => fn size => fn colour => fn host =>
    String.concatWith " "
      [Int.toString port, Bool.toString verbose, Real.toString rate, "[" ^ String.concatWith "," names ^ "]",
       case wait of NONE => "-" | SOME t => Time.fmt 3 t, Int.toString size, case colour of RED => "red" | BLUE => "blue", host])
  ** O.value (O.int, 8080) (about ("port", "p", "PORT"))
  ** O.flag (about ("verbose", "v", "VERBOSE"))
  ** O.value (O.real, 0.5) (about ("rate", "", ""))
  ** O.many O.string (about ("name", "n", "NAME"))
  ** O.optional O.time (about ("wait", "w", ""))
  ** O.value (O.bytes, 65536) (about ("size", "", ""))
  ** O.value (O.oneOf [("red", RED), ("blue", BLUE)], RED) (about ("colour", "c", ""))
  ** O.required O.string (about ("host", "", "HOST"))

fun try environment words =
  let
    fun env name = Option.map #2 (List.find (fn (n, _) => n = name) environment)
    val (text, rest) = O.parse env options (String.tokens Char.isSpace words)
  in
    say (concat [words, " -> ", text, " rest: ", String.concatWith "," rest])
  end
  handle O.Wrong why => say (concat [words, " -> ", why])
val host = [("HOST", "h")]
val () = List.app (try host)
  ["", "--port=80", "--port 80 a b", "-p80", "-p 80 x", "-vp80", "-pv", "-v --verbose a -", "--port=-1 --host=x", "--rate=-1.5e3", "--rate 1~5", "--rate=nan",
   "--name=a -nb -n c", "--name= d", "--wait=10 --size=64", "--wait=1.5s --size=64K", "-w200ms --size=10M", "-w 5m", "-w2h", "--wait=1d", "--wait=-1",
   "--size=2G", "--size=1.5K", "--size=-1", "--size=0K", "--size=99999999999G", "-cblue", "--colour=green", "a -- -v --port=1", "--verbose=1", "--por=1", "-x", "--port",
   "-p", "--port=eighty", "--port=~5", "--port=99999999999999999999", "--port=1 --port=2", "-"]
val () = List.app (fn env => try env "")
  [[], [("HOST", "h"), ("PORT", "99"), ("VERBOSE", "yes"), ("NAME", "n")], [("HOST", "h"), ("VERBOSE", "0")], [("HOST", "h"), ("VERBOSE", "maybe")],
   [("HOST", "h"), ("PORT", "x")]]
val () = try [("HOST", "h"), ("PORT", "99"), ("NAME", "env")] "-p 1 -n a"
val () = print (O.help options)
val twice = O.make (fn a => fn b => (a, b)) ** O.flag (about ("a", "x", "")) ** O.flag (about ("b", "x", ""))
val () = ignore (O.parse (fn _ => NONE) twice []) handle Fail why => say why

(* -- commands *)

val file = O.value (O.string, "notes") (about ("file", "f", ""))
val times = O.value (O.int, 1) (about ("times", "", ""))
fun command name rest options f = O.command {name = name, about = "", rest = rest, options = options} f
val commands =
  [command "add" "WORD.." (O.make (fn f => fn n => (f, n)) ** file ** times)
     (fn ((f, n), words) => concat ["add to ", f, " ", Int.toString n, " times ", String.concatWith "," words]),
   command "list" "" file (fn (f, _) => "list " ^ f)]
val () =
  List.app
    (fn words => say (concat [words, " -> ", O.parseCommand (fn _ => NONE) commands (String.tokens Char.isSpace words) () handle O.Wrong why => why]))
    ["", "add", "add a --times=3 b -f x", "list --file x", "list --times=1", "--file=x list", "lost", "add -- --times=2", "list list",
   (* a word was passed over where the help says that there are none *)
   "list -f x y", "list -- --file"]
val () = ignore (O.parseCommand (fn _ => NONE) (commands @ commands) ["list"]) handle Fail why => say why
