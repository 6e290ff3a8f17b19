(* JSONCodec: every description there and back, and what is said of values that do not fit, with their places. *)

structure C = JSONCodec
infix 4 **
val op ** = C.**
fun say s = print (s ^ "\n")
fun try codec show text = say (concat [text, " -> ", show (C.fromString codec text) handle e => C.message e])
fun echo codec = try codec (C.toString codec)

val () = List.app (echo C.bool) ["true", " false ", "1", "null", "\"true\"", "", "tru", "true false"]
val () = List.app (echo C.int) ["0", "-12", "9223372036854775807", "9223372036854775808", "1.0", "1e2", "\"1\"", "[1]", "{}", "-"]
val () = List.app (echo C.intInf) ["123456789012345678901234567890", "-5", "0.5"]
val () = List.app (echo C.real) ["1", "-2.5", "1e300", "null", "[1,2]"]
val () = List.app (echo C.string) ["\"\"", "\"a\\\"b\\\\c\\n\\u0001\\u00e9\\ud83d\\ude00\"", "12", "{\"a\":1}", "\"" ^ CharVector.tabulate (50, fn _ => #"x") ^ "\""]
val () = List.app (echo C.unit) ["null", "0", "\"" ^ CharVector.tabulate (50, fn _ => #"x") ^ "\""]
val () = List.app (echo C.json) ["{\"a\":[1,2.5,null,true,{}],\"b\":[],\"\":\"x\"}", "[", "{\"a\"}", "nul"]
val () = List.app (echo (C.list C.int)) ["[]", "[1,2,3]", "[1,\"2\"]", "[[1]]", "{}"]
val () = List.app (echo (C.vector (C.list C.bool))) ["[[],[true]]", "[[true],[false,0]]"]
val () = List.app (echo (C.pair (C.string, C.nullable C.int))) ["[\"a\",null]", "[\"a\",1]", "[\"a\"]", "[1,1]", "[\"a\",\"b\"]"]
val () = List.app (echo (C.dictionary C.int)) ["{}", "{\"a\":1,\"b c\":2}", "{\"a\":1,\"b c\":null}", "[]"]
datatype colour = RED | GREEN | BLUE
val colour = C.enum [("red", RED), ("green", GREEN), ("blue", BLUE)]
val () = List.app (echo colour) ["\"green\"", "\"grey\"", "3"]
val () = List.app (echo (C.list (C.enum [("on", true)]))) ["[\"on\",\"off\"]"]
val () = ignore (C.toString (C.enum [("red", RED)]) BLUE) handle Match => say "Match"
val () = ignore (C.toString C.real Real.posInf) handle Domain => say "Domain"
val even = C.map (fn n => if n mod 2 = 0 then n div 2 else raise Fail (Int.toString n ^ " is odd"), fn n => 2 * n) C.int
val () = List.app (echo (C.list even)) ["[2,4]", "[2,5]"]

type item = {name : string, price : int, note : string option, tags : string list}
val fields =
  C.make (fn name => fn price => fn note => fn tags => {name = name, price = price, note = note, tags = tags} : item)
  ** C.field ("name", C.string, #name)
  ** C.field ("price", C.int, #price)
  ** C.optional ("note", C.string, #note)
  ** C.default ("tags", C.list C.string, [], #tags)
val item = C.object fields
val order = C.object (C.make (fn items => fn id => {items = items, id = id}) ** C.field ("items", C.list item, #items) ** C.field ("id", C.int, #id))
val () = List.app (echo item)
  ["{\"name\":\"a\",\"price\":1}", "{\"price\":1,\"x\":[],\"tags\":[\"t\"],\"note\":\"n\",\"name\":\"a\"}", "{\"name\":\"a\",\"price\":1,\"note\":null}",
   "{\"name\":\"a\"}", "{\"name\":1,\"price\":1}", "{\"name\":\"a\",\"price\":1,\"note\":2}", "{\"name\":\"a\",\"price\":1,\"tags\":[\"t\",{}]}", "[]"]
val () = List.app (echo (C.exactly fields)) ["{\"name\":\"a\",\"price\":1}", "{\"name\":\"a\",\"price\":1,\"colour\":1}"]
val () = echo order "{\"items\":[{\"name\":\"a\",\"price\":1},{\"name\":\"b\",\"price\":1},{\"name\":\"c\",\"price\":1},{\"name\":12,\"price\":1}],\"id\":7}"
val () = echo order "{\"items\":[{\"name\":\"a\",\"price\":1}],\"id\":7}"

datatype shape = CIRCLE of real | BOX of {width : int, height : int} | DOT
val shape =
  C.tagged "type"
    [C.variant ("circle", C.object (C.make (fn r => r) ** C.field ("radius", C.real, fn r => r)), CIRCLE, fn CIRCLE r => SOME r | _ => NONE),
     C.variant ("box", C.exactly (C.make (fn w => fn h => {width = w, height = h}) ** C.field ("width", C.int, #width) ** C.field ("height", C.int, #height)),
                BOX, fn BOX b => SOME b | _ => NONE)]
val () = List.app (echo (C.list shape))
  ["[{\"type\":\"circle\",\"radius\":1.5},{\"width\":2,\"type\":\"box\",\"height\":3}]", "[{\"type\":\"disc\"}]", "[{\"type\":1}]", "[{}]", "[1]",
   "[{\"type\":\"box\",\"width\":2,\"height\":\"3\"}]", "[{\"type\":\"box\",\"width\":2,\"height\":3,\"depth\":4}]"]
val () = ignore (C.toString shape DOT) handle Match => say "Match"

datatype tree = NODE of int * tree list
val tree =
  C.fix (fn tree =>
    C.object (C.make (fn n => fn l => NODE (n, l)) ** C.field ("n", C.int, fn NODE (n, _) => n) ** C.default ("below", C.list tree, [], fn NODE (_, l) => l)))
val () = List.app (echo tree)
  ["{\"n\":1,\"below\":[{\"n\":2},{\"n\":3,\"below\":[{\"n\":4}]}]}", "{\"n\":1,\"below\":[{\"n\":2},{\"n\":3,\"below\":[{\"n\":true}]}]}"]
val () = say (exnMessage (C.Wrong {path = "$", message = "x"}))

(* What is too large for a real cannot be written again, so it is not read. *)
val () = List.app (echo C.real) ["1e308", "1e999", "-1e999", "1" ^ CharVector.tabulate (400, fn _ => #"0")]
val () = List.app (echo C.json) ["[1e308]", "[0,{\"a\":-1e999}]"]

(* Values that are written as strings. *)
val digit =
  C.text {kind = "a digit", read = fn s => if size s = 1 then Int.fromString s else NONE, show = Int.toString}
val () = List.app (echo (C.list digit)) ["[\"1\",\"2\"]", "[\"1\",\"x\"]", "[3]"]

(* What comes from others may be long, and what was said of it was as long: a number of a million digits, and the path
   to what is wrong a million steps deep. *)
val () =
  let
    fun times (n, s) = concat (List.tabulate (n, fn _ => s))
    fun told f = ignore (f ()) handle e => say (C.message e)
    val digits = times (500, "7")
  in
    told (fn () => C.fromString C.int digits);
    told (fn () => C.fromString C.string ("-" ^ digits));
    told (fn () =>
      C.fromString (C.fix (fn t => C.map (fn _ => (), fn () => []) (C.list t))) (times (1000, "[") ^ "7" ^ times (1000, "]")))
  end

(* JSON has no comments, and a text that one reader takes and another does not is a way around checks. JSONParser takes
   them, as SML/NJ's does. *)
val () = List.app (echo (C.list C.int)) ["/* one */ [1]", "[1, // two\n 2]", "[1 /]"]
val () = say (Int.toString (C.fromJSON C.int (JSONParser.parse (JSONParser.openString "/* one */ 1"))))
