(* The functions of UTF8 over whole strings have a decoder of their own, which makes nothing for a code point; `implode`
   and `map` write into one array. They must agree with the reader, `getWC`, and with `encode`, on right and on wrong
   input. *)

fun same (what, a, b) = if a = b then () else print (what ^ ": " ^ a ^ ", not " ^ b ^ "\n")

fun words ws = String.concatWith "," (map Word.toString ws)
fun guarded f = f () handle UTF8.Invalid => "Invalid" | UTF8.Incomplete => "Incomplete"

fun byReader s =
  guarded (fn () =>
    let
      fun go (s, l) =
        case UTF8.getu Substring.getc s of SOME (w, s) => go (s, w :: l) | NONE => rev l
    in
      words (go (Substring.full s, []))
    end)
fun byFold s = guarded (fn () => words (UTF8.explode s))

(* The ends of all ranges, there and back. *)
val ends =
  [0wx0, 0wx41, 0wx7F, 0wx80, 0wx7FF, 0wx800, 0wxFFF, 0wx1000, 0wxCFFF, 0wxD000, 0wxD7FF, 0wxE000, 0wxFFFF, 0wx10000,
   0wx3FFFF, 0wx40000, 0wxFFFFF, 0wx100000, 0wx10FFFF]
val text = UTF8.implode ends
val () = same ("implode", text, String.concat (map UTF8.encode ends))
val () = same ("explode", words (UTF8.explode text), words ends)
val () = same ("map", UTF8.map (fn w => if w < 0wx80 then w + 0wx10000 else 0wx42) "a\195\169b", "\240\144\129\161B\240\144\129\162")
val () = same ("size", Int.toString (UTF8.size text), "19")
val () = same ("part", Int.toString (UTF8.size' (Substring.substring ("x\195\169y\226\130\172", 1, 3))), "2")
val () = same ("cut", guarded (fn () => Int.toString (UTF8.size' (Substring.substring ("x\226\130\172", 0, 3)))), "Incomplete")
val () = same ("too large", guarded (fn () => UTF8.implode [0w65, 0wx110000]), "Invalid")
val () = same ("largest word", guarded (fn () => UTF8.encode (Word.notb 0w0)), "Invalid")

(* What `map`'s function gives is judged before the function is called again. *)
val calls = ref 0
val () = same ("map judges", guarded (fn () => UTF8.map (fn _ => (calls := !calls + 1; 0wx110000)) "ab"), "Invalid")
val () = same ("calls", Int.toString (!calls), "1")

(* Every pair of a first and a second byte, with tails of 0 to 3 bytes. *)
val bytes = List.tabulate (256, Char.chr)
fun pair (a, b, tail) =
  let
    val s = implode [a, b] ^ tail
  in
    same (String.toString s, byFold s, byReader s)
  end
val () =
  app (fn a => app (fn b => app (fn t => pair (a, b, t)) ["", "\128", "\191\128", "\128\128a", "z"]) bytes)
    (List.filter (fn c => Char.ord c >= 120) bytes)

(* Known answers, so that both cannot be wrong together. *)
val () =
  app (fn (s, answer) => same (String.toString s, byFold s, answer))
    [("\192\128", "Invalid"), ("\193\191", "Invalid"), ("\194\128", "80"), ("\224\159\191", "Invalid"),
     ("\224\160\128", "800"), ("\237\159\191", "D7FF"), ("\237\160\128", "Invalid"), ("\238\128\128", "E000"),
     ("\240\143\191\191", "Invalid"), ("\240\144\128\128", "10000"), ("\244\143\191\191", "10FFFF"),
     ("\244\144\128\128", "Invalid"), ("\245\128\128\128", "Invalid"), ("\255", "Invalid"), ("a\128", "Invalid"),
     ("\226\130", "Incomplete"), ("\240\159\152", "Incomplete"), ("\195", "Incomplete"), ("\195a", "Invalid")]

(* `explode` reads a text from its end, `map` fills one from there; `exists` and `all` stop at what they look for, so
   what is wrong behind that is not seen. *)
val seed = ref 0w1
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.>> (!seed, 0w33)) mod n)
fun randomPoint () = List.nth (ends, random (length ends))
fun atRandom 0 = ()
  | atRandom n =
      let
        val ws = List.tabulate (random 9, fn _ => randomPoint ())
        val s = UTF8.implode ws
        fun next w = if w = 0wx7F then 0wx10FFFF else if w = 0wxFFFF then 0wx41 else w
        val seen = ref []
        val looked = randomPoint ()
      in
        same ("explode", words (UTF8.explode s), words ws);
        same ("implode", s, String.concat (map UTF8.encode ws));
        same ("map", UTF8.map next s, String.concat (map (UTF8.encode o next) ws));
        UTF8.app (fn w => seen := w :: !seen) s;
        same ("app", words (rev (!seen)), words ws);
        same ("exists", Bool.toString (UTF8.exists (fn w => w = looked) s),
              Bool.toString (List.exists (fn w => w = looked) ws));
        same ("all", Bool.toString (UTF8.all (fn w => w <> looked) s),
              Bool.toString (List.all (fn w => w <> looked) ws));
        atRandom (n - 1)
      end
val () = atRandom 500
fun bool f = guarded (fn () => Bool.toString (f ()))
val () = same ("exists, then wrong", bool (fn () => UTF8.exists (fn w => w = 0w97) "ba\255"), "true")
val () = same ("wrong, then exists", bool (fn () => UTF8.exists (fn w => w = 0w97) "b\255a"), "Invalid")
val () = same ("exists at the end", bool (fn () => UTF8.exists (fn w => w = 0w97) "b\226\130"), "Incomplete")
val () = same ("all, then wrong", bool (fn () => UTF8.all (fn w => w = 0w97) "ab\255"), "false")
val () = print "done\n"
