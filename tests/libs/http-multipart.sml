(* HTTPForm.multipart and HTTPForm.each: forms there and back, as a whole and in pieces of any size, and what is refused. *)

fun say s = print (s ^ "\n")
fun below' random n = Random.randRange (0, n - 1) random
val random = Random.rand (7, 11)
val below = below' random

(* A request whose body comes in pieces of at most so many bytes. *)
fun request (kind, text, most) : HTTP.request =
  let
    val head = concat ["POST / HTTP/1.1\r\nHost: h\r\nContent-Type: ", kind, "\r\nContent-Length: ", Int.toString (size text), "\r\n\r\n"]
    val rest = ref (head ^ text)
    fun next () =
      let
        val n = Int.min (size (!rest), 1 + below most)
      in
        String.substring (!rest, 0, n) before rest := String.extract (!rest, n, NONE)
      end
  in
    valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.source next))
  end

fun collect request =
  let
    val found = ref []
  in
    HTTPForm.each {most = 10000} request (fn {name, file, kind, body} =>
      found := {name = name, file = file, kind = kind, text = HTTPBody.all {most = 1000000} body} :: !found);
    List.rev (!found)
  end

fun shown {name, file, kind, text} =
  concat [String.toString name, " ", case file of SOME f => "\"" ^ String.toString f ^ "\"" | NONE => "-", " ", kind, " ", String.toString text]

val parts =
  [{name = "a", file = NONE, kind = "", text = "one"}, {name = "a \"b\" \\c", file = SOME "x;y=\195\164.txt", kind = "text/html; charset=utf-8", text = ""},
   {name = "", file = SOME "", kind = "", text = "\r\n--\r\n\r\n--"}, {name = "l", file = NONE, kind = "application/json", text = CharVector.tabulate (300, Char.chr o (fn i => i mod 256))}]
val {kind, text} = HTTPForm.multipart parts
val () = List.app (say o shown) (HTTPForm.parts {most = 10000} (request (kind, text, 100)))
val () = say (Bool.toString (String.isPrefix "multipart/form-data; boundary=" kind andalso HTTPForm.multipart parts <> HTTPForm.multipart parts))
val () = say (String.concatWith "&" (List.map (fn (n, v) => n ^ "=" ^ v) (HTTPForm.form {most = 10000} (request (kind, text, 100)))))
val () = let val {kind, text} = HTTPForm.multipart [] in say (Int.toString (List.length (HTTPForm.parts {most = 100} (request (kind, text, 5))))) end
val () =
  List.app (fn p => ((HTTPForm.multipart [p]; say "taken") handle HTTPHeaders.Invalid why => say why))
    [{name = "a\r\nb", file = NONE, kind = "", text = ""}, {name = "a", file = SOME "\000", kind = "", text = ""}, {name = "a", file = NONE, kind = "a\nb: c", text = ""}]

(* as a whole, and in pieces *)
fun piece n = CharVector.tabulate (below n, fn _ => String.sub ("\r\n-ab\"", below 6))
fun part () =
  {name = CharVector.tabulate (below 4, fn _ => String.sub ("ab\" \\", below 5)), file = if below 2 = 0 then NONE else SOME "f", kind = "text/plain", text = piece 90}
fun law 0 = say "laws"
  | law n =
      let
        val parts = List.tabulate (1 + below 4, fn _ => part ())
        val {kind, text} = HTTPForm.multipart parts
        val whole = HTTPForm.parts {most = 10000} (request (kind, text, 1000))
        val some = collect (request (kind, text, 1 + below 40))
        (* what is not read is passed over *)
        val names = ref []
        val () = HTTPForm.each {most = 10} (request (kind, text, 7)) (fn {name, body, ...} => (names := name :: !names; if below 2 = 0 then ignore (HTTPBody.read body) else ()))
        (* a text that ends early is refused *)
        val cut = String.substring (text, 0, below (size text - 3))
        val isCut = (ignore (collect (request (kind, cut, 30))); false) handle HTTPForm.Malformed _ => true
      in
        if whole = parts andalso some = parts andalso List.rev (!names) = List.map #name parts andalso isCut then () else say ("wrong: " ^ String.toString text);
        law (n - 1)
      end
val () = law 300

(* -- what is no form *)

val x = "multipart/form-data; boundary=x"
fun try (kind, text) =
  say (concat [String.toString text, ": ",
               String.concatWith ", " (List.map shown (collect (request (kind, text, 3)))) handle HTTPForm.Malformed why => why])
val head = "\r\nContent-Disposition: form-data; name=\"a\"\r\n"
val () =
  List.app try
    [(x, ""), (x, "--x--"), (x, "nothing"), (x, "--x"), (x, "--xy"), (x, "--x \r\n"), (x, "--x\r\n--x--"), (x, concat ["--x", head, "\r\nb\r\n--x--"]), (x, concat ["before\r\n--x", head, "\r\nb\r\n--x--behind"]),
     (x, concat ["--x", head, "\r\n\r\n--x--"]), (x, concat ["--x", head, "\r\n--x--"]), (x, concat ["--x", head, "\r\nb"]), (x, concat ["--x", head, "\r\nb\r\n--x", head, "\r\n--"]), (x, "--x\r\nA: b\r\n\r\nc\r\n--x--"),
     (x, "--x\r\nContent-Disposition: attachment; name=a\r\n\r\nc\r\n--x--"), (x, "--x\r\nContent-Disposition: form-data\r\n\r\nc\r\n--x--"), (x, "--x\r\nContent-Disposition: form-data; name=\"a\r\n\r\nc\r\n--x--"),
     (x, "--x\r\n b: c\r\n\r\nc\r\n--x--"), (x, concat ["--x\r\nA: ", CharVector.tabulate (17000, fn _ => #"b")]), ("multipart/form-data", "--x--"), ("multipart/form-data; boundary=\"\"", "--"), ("text/plain", "a=b"),
     ("application/x-www-form-urlencoded", "a=b&c=d+e")]
val () = (ignore (collect (request ("application/x-www-form-urlencoded", CharVector.tabulate (10001, fn _ => #"a"), 5000)))) handle HTTPBody.TooLarge => say "too large"
val () = (ignore (HTTPForm.parts {most = 10} (request (x, concat ["--x", head, "\r\nb\r\n--x--"], 50)))) handle HTTPBody.TooLarge => say "too large"
