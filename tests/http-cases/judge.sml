(* What HTTPMessage makes of messages: each line of the input is `request` or `response` and bytes in hexadecimal; each line of the
   output says whether all messages of the text are taken, and if not, why. *)

fun bytes hex =
  CharVector.tabulate
    (size hex div 2, fn i => chr (valOf (StringCvt.scanString (Int.scan StringCvt.HEX) (String.substring (hex, 2 * i, 2)))))

val limits = HTTPMessage.limits
fun all body = ignore (HTTPBody.all {most = 1000000} body)

fun requests source =
  case HTTPMessage.readRequest limits source of
    NONE => ()
  | SOME {body, ...} => (all body; requests source)

(* As many as there are: nothing tells the end of several but the end of the text. *)
fun responses text =
  let
    val isOver = ref false
    val rest = ref text
    val source =
      HTTPMessage.source (fn () =>
        let val all = !rest in (rest := ""; isOver := all = ""; all) end)
    fun go first =
      (all (#body (HTTPMessage.readResponse limits {method = "GET"} source)); go false)
      handle e as HTTPMessage.Closed => if first orelse not (!isOver) then raise e else ()
  in
    go true
  end

fun verdict f =
  (f (); "taken")
  handle HTTPMessage.Bad (status, why) => concat ["refused ", Int.toString status, ": ", why]
       | HTTPMessage.Closed => "ended within a header"
       | HTTPBody.Broken why => "refused 400: " ^ why
       | HTTPBody.TooLarge => "refused 413: too large"

fun judge line =
  case String.tokens Char.isSpace line of
    ["request", hex] => verdict (fn () => requests (HTTPMessage.ofString (bytes hex)))
  | ["response", hex] => verdict (fn () => responses (bytes hex))
  | _ => raise Fail line

fun loop () =
  case TextIO.inputLine TextIO.stdIn of
    NONE => ()
  | SOME line => (print (judge line ^ "\n"); loop ())
val () = loop ()
