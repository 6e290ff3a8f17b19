(* The small libraries: Unix, UUID, HashCons, SExp. *)

fun line s = print (s ^ "\n")

val env = ["A=1", "B=x=y", "C="]
val () = line (UnixEnv.getValue {name = "B", default = "?", env = env} ^ UnixEnv.getValue {name = "D", default = "?", env = env})
val () = line (String.concatWith " " (UnixEnv.addToEnv ("A=2", UnixEnv.removeFromEnv ("C", env))))
val () = line (getOpt (UnixPath.findFileOfType (["/nowhere", "/"], UnixPath.F_DIR, []) "tmp", "none"))
val () = line (Bool.toString (isSome (UnixPath.findFile (UnixPath.getPath (), [UnixPath.A_EXEC]) "sh")))

val text = "00112233-4455-6677-8899-aabbccddeeff"
val id = valOf (UUID.fromString text)
val new = List.tabulate (50, fn _ => GenUUID.new ())
val () = line (UUID.toString id)
val () = line (Bool.toString (List.all (fn u => let val s = UUID.toString u in size s = 36 andalso String.sub (s, 14) = #"4" andalso UUID.same (u, valOf (UUID.fromString s)) end) new))
val () = line (Int.toString (length (ListMergeSort.uniqueSort UUID.compare new)) ^ (if isSome (UUID.fromString "0011") then "!" else ""))

(* Terms *)
datatype term = Var of string | App of term HashCons.obj * term HashCons.obj
fun eq (Var a, Var b) = a = b
  | eq (App (a, b), App (c, d)) = HashCons.same (a, c) andalso HashCons.same (b, d)
  | eq _ = false
val terms = HashCons.new {eq = eq}
fun var s = HashCons.cons0 terms (HashString.hashString s, Var s)
val app' = HashCons.cons2 terms (0w1, App)
fun tree 0 = var "x"
  | tree n = app' (tree (n - 1), tree (n - 1))
val a = tree 10
val b = tree 10
val () = line (Bool.toString (HashCons.same (a, b)) ^ " " ^ Word.toString (HashCons.tag a))
val s = HashConsSet.fromList [a, b, var "x", var "y"]
val m = HashConsMap.insertWith op + (HashConsMap.singleton (a, 1), b, 2)
val () = line (Int.toString (HashConsSet.numItems s) ^ " " ^ Int.toString (HashConsMap.lookup (m, a)))
val () = line (Bool.toString (HashCons.same (HashConsString.mk "a", HashConsString.mk (str #"a"))))

val () =
  List.app
    (fn s => line (String.concatWith " | " (map SExpPrinter.toString (SExpParser.parseString s))) handle Fail s => line s)
    ["(define (f x) [+ x 1]) ; comment\n'(#t #f) \"a\\n\\x41;\\\"\"", "12 -7 +3 1.5 -2e3 #xff a-b ...", "{}", "(a", "\n)", "\"x", "#q"]
val () = line (Bool.toString (SExp.same (SExp.LIST [SExp.INT 1], hd (SExpParser.parseString "(1)"))))
val reals = map SExp.FLOAT [0.0 / 0.0, ~1.0 / 0.0, 2.0, ~(0.0 / 0.0)]
fun sign order = case order of LESS => "<" | EQUAL => "=" | GREATER => ">"
val () = app (fn a => line (concat (map (fn b => sign (SExp.compare (SExp.LIST [a], SExp.LIST [b]))) reals))) reals

(* Controls *)
val level = ref 1
val levelControl = Controls.stringControl ControlUtil.Cvt.int (Controls.control {name = "level", pri = [2], obscurity = 1, help = "how much", ctl = level})
val quiet = Controls.genControl {name = "be-quiet", pri = [1], obscurity = 3, help = "say less", default = false}
val registry = ControlRegistry.new {help = "all"}
val inner = ControlRegistry.new {help = "inner"}
val () = ControlRegistry.register registry {ctl = levelControl, envName = SOME "LEAT_TEST_NO_SUCH"}
val () = ControlRegistry.register inner {ctl = Controls.stringControl ControlUtil.Cvt.bool quiet, envName = SOME (ControlUtil.EnvName.toUpper "LEAT_" "be-quiet")}
val () = ControlRegistry.nest registry {prefix = SOME "in", pri = [0], obscurity = 0, reg = inner}
val () = ControlRegistry.init registry
fun showTree (ControlRegistry.RTree {path, help, ctls, subregs}) =
  concat (String.concatWith "." path :: ":" :: help :: map (fn {ctl, info} => " " ^ Controls.name ctl ^ "=" ^ Controls.get ctl) ctls @ map (fn t => " {" ^ showTree t ^ "}") subregs)
val restore = Controls.save'restore levelControl
val (_, rest) =
  GetOpt.getOpt
    {argOrder = GetOpt.Permute, errFn = line,
     options = [Controls.mkOptionReqArg {ctl = levelControl, arg = "<n>", short = "l", long = NONE}, Controls.mkOptionFlag {ctl = quiet, short = "q", long = SOME "quiet"}]}
    ["-l", "5", "--quiet", "file"]
val () = line (showTree (ControlRegistry.controls (registry, NONE)))
val () = restore ()
val () = line (showTree (ControlRegistry.controls (registry, SOME 2)))
val () = line (case ControlRegistry.control registry ["in", "be-quiet"] of SOME c => Controls.get c | NONE => "none")
val () = Controls.set (levelControl, "many") handle Controls.ValueSyntax {tyName, ctlName, value} => line (String.concatWith " " [tyName, ctlName, value])
