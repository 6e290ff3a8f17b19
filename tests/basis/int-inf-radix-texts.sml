(* IntInf.scan of HEX, OCT and BIN made products of halves, as DEC must: 3 million digits took a second and 130 MB. The
   digits are bits and are put in their places now. Beside a simple reader, digit by digit; lengths around those of the
   groups of digits (15, 19, 21, 63), of words, and of what is read by halves. *)

val seed = ref 0w7
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.mod (Word.>> (!seed, 0w33), Word.fromInt n)))

val letters = "0123456789abcdef"
fun value c = Substring.size (#1 (Substring.splitl (fn d => d <> c) (Substring.full letters)))

fun simple (base, s) =
  CharVector.foldl (fn (c, n) => n * IntInf.fromInt base + IntInf.fromInt (value c)) 0 s

fun withoutZeros s =
  case Substring.string (Substring.dropl (fn c => c = #"0") (Substring.full s)) of
    "" => "0"
  | s => s

val wrong = ref 0
fun check (radix, base) n =
  let
    val s = CharVector.tabulate (n, fn _ => String.sub (letters, if random 3 = 0 then 0 else random base))
    val tail = String.sub ("g ~.", random 4)
    val l = explode s @ [tail]
    val expected = simple (base, s)
    val negative = random 2 = 0
    val found = IntInf.scan radix List.getItem (if negative then #"~" :: l else l)
  in
    if found = SOME (if negative then ~expected else expected, [tail])
       andalso String.map Char.toLower (IntInf.fmt radix expected) = withoutZeros s
       andalso StringCvt.scanString (IntInf.scan radix) s = SOME expected
    then ()
    else
      (wrong := !wrong + 1;
       print ("wrong: base " ^ Int.toString base ^ ", " ^ Int.toString n ^ " digits: " ^ s ^ "\n"))
  end

fun upTo (n, step, most) f = if n > most then () else (f n; upTo (n + step, step, most) f)
val () =
  app
    (fn radix =>
        (upTo (1, 1, 140) (check radix);
         upTo (590, 7, 720) (check radix);
         upTo (1990, 5, 2120) (check radix)))
    [(StringCvt.BIN, 2), (StringCvt.OCT, 8), (StringCvt.DEC, 10), (StringCvt.HEX, 16)]

(* Without digits there is no number; 0x without digits is 0 before an x. *)
val () =
  app
    (fn (radix, s) =>
        print
          (case IntInf.scan radix Substring.getc (Substring.full s) of
             NONE => "none\n"
           | SOME (n, rest) => IntInf.toString n ^ " " ^ Substring.string rest ^ "\n"))
    [(StringCvt.HEX, ""), (StringCvt.HEX, "~"), (StringCvt.HEX, "0x"), (StringCvt.HEX, "0xg"),
     (StringCvt.HEX, "-0X00000000000000000000000000000000fF"), (StringCvt.OCT, "8"), (StringCvt.OCT, "0778"),
     (StringCvt.BIN, "2"), (StringCvt.BIN, "+00101012"), (StringCvt.DEC, "a")]
val () = print (Int.toString (!wrong) ^ " wrong\n")
