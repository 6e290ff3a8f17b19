(* A2: counting the newlines of 10,000 lines of 60 characters in several ways. The argument is the file.
   Prints the best of twenty in nanoseconds. *)

structure S = String
structure SS = Substring

fun best (name, f) =
  let
    fun go (0, least) = least
      | go (n, least) =
          let
            val timer = Timer.startRealTimer ()
            val _ = f ()
          in
            go (n - 1, Int.min (least, LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer timer))))
          end
  in
    print (name ^ " " ^ Int.toString (go (20, valOf Int.maxInt)) ^ "\n")
  end

fun readAll file =
  let
    val stream = TextIO.openIn file
    val text = TextIO.inputAll stream
  in
    TextIO.closeIn stream;
    text
  end

fun count_slowix text =
  let
    val len = size text
    fun loop 0 l = l
      | loop n l = loop (n - 1) (if S.sub (text, n) = #"\n" then l + 1 else l)
  in
    loop (len - 1) 0
  end

fun count_fastix text =
  let
    val len = size text
    fun loop 0 l = l
      | loop n l = loop (n - 1) (if Unsafe.CharVector.sub (text, n) = #"\n" then l + 1 else l)
  in
    loop (len - 1) 0
  end

fun count_tokens text = length (SS.tokens (fn c => c = #"\n") (SS.all text))

fun count_cntrl text = length (SS.tokens Char.isCntrl (SS.all text))

fun count_getc text =
  let
    fun loop ss n =
      case SS.getc ss of
        NONE => n
      | SOME (c, rest) => loop rest (if c = #"\n" then n + 1 else n)
  in
    loop (SS.all text) 0
  end

val file = hd (CommandLine.arguments ())
val text = readAll file

fun check (name, expected, f) =
  if f text = expected then best (name, fn () => f text)
  else print (name ^ " is wrong: " ^ Int.toString (f text) ^ "\n")

val () = best ("readall", fn () => readAll file)
val () = best ("length", fn () => size text)
val () = check ("slowix", 10000, count_slowix)
val () = check ("fastix", 10000, count_fastix)
val () = check ("tokens", 10000, count_tokens)
val () = check ("cntrl", 10000, count_cntrl)
val () = check ("getc", 10000, count_getc)
