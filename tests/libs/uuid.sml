(* Uuid: texts and bytes there and back, the examples of RFC 9562, the marks of versions, and the order of those that were
   made; SecureRandom: sizes, bounds, and that bits are not stuck. *)

fun say s = print (s ^ "\n")
val int = Int.toString
fun order LESS = "<" | order EQUAL = "=" | order GREATER = ">"
fun shown NONE = "none"
  | shown (SOME u) =
      concat [Uuid.toString u, " version ", int (Uuid.version u),
              case Uuid.time u of NONE => "" | SOME t => " at " ^ LargeInt.toString (Time.toMilliseconds t)]

(* the RFC's examples of version 4 and 7, and texts that are none *)
val texts =
  ["919108f7-52d1-4320-9bac-f847db4148a8", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "00000000-0000-0000-0000-000000000000",
   "ffffffff-ffff-ffff-ffff-ffffffffffff", "", "919108f7-52d1-4320-9bac-f847db4148a", "919108f7-52d1-4320-9bac-f847db4148a88",
   "919108f7052d1-4320-9bac-f847db4148a8", "919108f7-52d1-4320-9bac-f847db4148ag", "{919108f7-52d1-4320-9bac-f847db4148a}",
   "919108f7-52d1-4320-9bac-f847db41-8a8", " 19108f7-52d1-4320-9bac-f847db4148a8", "~19108f7-52d1-4320-9bac-f847db4148a8"]
val () = List.app (fn t => say (t ^ " -> " ^ shown (Uuid.fromString t))) texts
val a = valOf (Uuid.fromString (List.nth (texts, 0)))
val b = valOf (Uuid.fromString (List.nth (texts, 1)))
val () = say (concat (List.map (order o Uuid.compare) [(a, b), (b, a), (a, a), (Uuid.null, b), (a, Uuid.largest)]))
val () = say (Bool.toString (Uuid.fromBytes (Uuid.toBytes a) = a andalso Uuid.hash a <> Uuid.hash b))
val () = say (String.concatWith " " (List.map Word8.toString (Word8Vector.foldr (op ::) [] (Uuid.toBytes b))))
val () = ignore (Uuid.fromBytes (Word8Vector.tabulate (15, fn _ => 0w0))) handle Size => say "Size"

(* those that are made *)
val n = 300
fun all f = List.tabulate (n, fn _ => f ())
fun isRight v u =
  Uuid.version u = v andalso Word8.andb (Word8Vector.sub (Uuid.toBytes u, 8), 0wxC0) = 0wx80
  andalso Uuid.fromString (Uuid.toString u) = SOME u andalso Uuid.fromBytes (Uuid.toBytes u) = u
fun rises (a :: (rest as b :: _)) = Uuid.compare (a, b) = LESS andalso rises rest
  | rises _ = true
val randoms = all Uuid.v4
val () = say (Bool.toString (List.all (isRight 4) randoms) ^ " " ^ Bool.toString (rises randoms))
val before' = Time.toMilliseconds (Time.now ())
val times = all Uuid.v7
val after = Time.toMilliseconds (Time.now ())
val () = say (Bool.toString (List.all (isRight 7) times) ^ " " ^ Bool.toString (rises times))
val () =
  say (Bool.toString (List.all (fn u => let val t = Time.toMilliseconds (valOf (Uuid.time u)) in t >= before' andalso t <= after + 1 end) times))
(* no two, of several threads *)
val made = Scope.run (fn s => List.map CML.sync (List.tabulate (4, fn _ => Scope.fork s (fn () => all Uuid.v7))))
fun merge ([], l) = l
  | merge (l, []) = l
  | merge (a :: l, b :: m) = if Uuid.compare (a, b) = LESS then a :: merge (l, b :: m) else b :: merge (a :: l, m)
val () = say (Bool.toString (List.all rises made andalso rises (List.foldl merge [] made)))
(* A time that is none raised Time: the last millisecond that is one, the next one, and the largest. *)
val () =
  List.app
    (say o shown o Uuid.fromString)
    ["08637bd0-5af6-7000-8000-000000000000", "08637bd0-5af7-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff"]

(* of names: RFC 9562, A.4 *)
val () =
  List.app (say o shown o SOME o Uuid.v5)
    [{space = Uuid.dns, name = "www.example.com"}, {space = Uuid.url, name = "http://a/b"}, {space = Uuid.null, name = ""}]

(* -- SecureRandom *)

open SecureRandom
val () = say (String.concatWith " " (List.map (fn n => int (Word8Vector.length (bytes n))) [0, 1, 7, 8, 9, 100]))
fun size' f = (ignore (f ()); say "taken") handle Size => say "Size"
val () = (size' (fn () => bytes ~1); size' (fn () => below 0); size' (fn () => token ~1))
(* each bit of each of 17 bytes is 0 once and 1 once: all 100 equal has a chance of 2^-99 for each *)
val many = List.tabulate (100, fn _ => bytes 17)
fun fold f = List.tabulate (17, fn i => List.foldl (fn (v, w) => f (Word8Vector.sub (v, i), w)) (Word8Vector.sub (hd many, i)) many)
val () = say (Bool.toString (List.all (fn w => w = 0wxFF) (fold Word8.orb) andalso List.all (fn w => w = 0w0) (fold Word8.andb)))
val numbers = List.tabulate (500, fn _ => below 5)
val () = say (String.concatWith " " (List.tabulate (6, fn i => Bool.toString (List.exists (fn n => n = i) numbers))))
val () = say (Bool.toString (List.all (fn _ => below 1 = 0) numbers andalso below (valOf Int.maxInt) >= 0))
val t = token 2000
val () = say (int (size t) ^ " " ^ Bool.toString (CharVector.all Char.isAlphaNum t) ^ " " ^ Bool.toString (List.all (fn c => CharVector.exists (fn d => c = d) t) (String.explode "Aa0Zz9")))
