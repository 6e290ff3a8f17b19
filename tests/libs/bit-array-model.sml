(* BitArray against lists of bools: every function, at lengths around the words in which the bits lie (it had bytes
   once), with bits that are few, many or at random. *)

structure B = BitArray

val seed = ref 0w1
fun random n =
  (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
   Word.toInt (Word.>> (!seed, 0w33)) mod n)

fun wrong what = print ("wrong: " ^ what ^ "\n")
fun check (what, ok) = if ok then () else wrong what
fun outcome f = (SOME (f ()), "") handle e => (NONE, exnName e)

val lengths = [0, 1, 2, 7, 8, 9, 31, 32, 33, 62, 63, 64, 65, 66, 127, 128, 129, 191, 192, 193, 200]
fun oneOf l = List.nth (l, random (length l))

(* Bits by chance, of which one in `rare` is set, or all but those. *)
fun someBits n =
  let
    val rare = oneOf [1, 2, 2, 2, 10, 70, 1000]
    val other = random 2 = 0
  in
    List.tabulate (n, fn _ => (random rare = 0) <> other)
  end

fun list a = List.tabulate (B.length a, fn i => B.sub (a, i))
fun same (what, a, l) =
  if list a = l then
    (* nothing is behind the end, so arrays of equal bits are equal *)
    check (what ^ ", equal", B.equal (a, B.fromList l) andalso B.isZero a = List.all not l)
  else wrong what

fun bit (v, i) = 0 <= i andalso i < Vector.length v andalso Vector.sub (v, i)
fun indexed l = ListPair.zip (List.tabulate (length l, fn i => i), l)

fun digits v =
  let
    fun value (k, j) = if j = 4 then 0 else (if bit (v, 4 * k + j) then 1 else 0) + 2 * value (k, j + 1)
    val n = (Vector.length v + 3) div 4
  in
    implode (List.tabulate (n, fn k => String.sub ("0123456789abcdef", value (n - 1 - k, 0))))
  end

fun collated (f, l, m) =
  case (l, m) of
    ([], []) => EQUAL
  | ([], _) => LESS
  | (_, []) => GREATER
  | (x :: l, y :: m) => (case f (x, y) of EQUAL => collated (f, l, m) | unequal => unequal)
fun order (false, true) = LESS
  | order (true, false) = GREATER
  | order _ = EQUAL

fun made () =
  let val l = someBits (oneOf lengths) in (B.fromList l, l) end

fun one () =
  let
    val (a, l) = made ()
    val (b, m) = made ()
    val (v, w) = (Vector.fromList l, Vector.fromList m)
    val n = length l
    val k = oneOf lengths
    fun at k = List.tabulate (k, fn i => (bit (v, i), bit (w, i)))
    fun copy () = B.extend0 (a, 0)
    fun places p = List.mapPartial (fn (i, b) => if p b then SOME i else NONE) (indexed l)
  in
    same ("fromList", a, l);
    same ("tabulate", B.tabulate (n, fn i => bit (v, i)), l);
    same ("array", B.array (n, true), map (fn _ => true) l);
    same ("bits", B.bits (n, rev (places (fn b => b))), l);
    check ("getBits", B.getBits a = places (fn b => b));
    (* walks *)
    check ("foldli", rev (B.foldli (fn (i, b, l) => (i, b) :: l) [] a) = indexed l);
    check ("foldri", B.foldri (fn (i, b, l) => (i, b) :: l) [] a = indexed l);
    check ("foldl", rev (B.foldl op :: [] a) = l);
    check ("foldr", B.foldr op :: [] a = l);
    (let
       val seen = ref []
       fun see x = seen := x :: !seen
     in
       B.appi see a;
       check ("appi", rev (!seen) = indexed l)
     end);
    (let val seen = ref [] in B.app (fn b => seen := b :: !seen) a; check ("app", rev (!seen) = l) end);
    (let
       (* where the predicate holds is what was asked last *)
       val asked = ref []
       val place = random (n + 1)
       val found = B.findi (fn (i, b) => (asked := (i, b) :: !asked; i >= place andalso b)) a
       val expected = List.find (fn (i, b) => i >= place andalso b) (indexed l)
       val passed = case expected of SOME (i, _) => i + 1 | NONE => n
     in
       check ("findi", found = expected andalso rev (!asked) = List.take (indexed l, passed))
     end);
    check ("find", B.find not a = List.find not l);
    check ("exists", B.exists (fn b => b) a = List.exists (fn b => b) l);
    check ("all", B.all (fn b => b) a = List.all (fn b => b) l);
    (let
       val c = copy ()
     in
       B.modifyi (fn (i, b) => b <> (i mod 3 = 0)) c;
       same ("modifyi", c, map (fn (i, b) => b <> (i mod 3 = 0)) (indexed l));
       B.modify not c;
       same ("modify", c, map (fn (i, b) => b = (i mod 3 = 0)) (indexed l));
       same ("modified copy", a, l)
     end);
    (* A walk sees what its function has changed. *)
    (let
       val c = copy ()
       fun flip i = if i < n then B.update (c, i, not (B.sub (c, i))) else ()
       val flipped = map (fn (i, b) => b <> (i mod 5 = 1)) (indexed l)
       val seen = rev (B.foldli (fn (i, b, l) => (if i mod 5 = 0 then flip (i + 1) else (); b :: l)) [] c)
     in
       check ("foldli, changed", seen = flipped andalso list c = flipped)
     end);
    (let
       val c = copy ()
       fun clear i = if i >= 0 then B.clrBit (c, i) else ()
       val seen = B.foldri (fn (i, b, l) => (if i mod 5 = 0 then clear (i - 1) else (); b :: l)) [] c
     in
       check ("foldri, changed", seen = map (fn (i, b) => b andalso (i mod 5 <> 4 orelse i = n - 1)) (indexed l))
     end);
    check ("collate", B.collate order (a, b) = collated (order, l, m));
    check ("collate, equal", B.collate order (a, copy ()) = EQUAL);
    (* single bits *)
    (let
       val c = copy ()
       val i = random (n + 3) - 1
       val x = random 2 = 0
       val change = if random 2 = 0 then fn (c, i) => B.update (c, i, x) else if x then B.setBit else B.clrBit
     in
       case outcome (fn () => change (c, i)) of
         (SOME (), _) => same ("update", c, map (fn (j, b) => if i = j then x else b) (indexed l))
       | (NONE, e) =>
           (check ("update outside", e = "Subscript" andalso (i < 0 orelse i >= n)); same ("not updated", c, l))
     end);
    (* whole arrays *)
    same ("andb", B.andb (a, b, k), map (fn (x, y) => x andalso y) (at k));
    same ("orb", B.orb (a, b, k), map (fn (x, y) => x orelse y) (at k));
    same ("xorb", B.xorb (a, b, k), map (fn (x, y) => x <> y) (at k));
    same ("notb", B.notb a, map not l);
    check ("eqBits", B.eqBits (a, b) = List.all op = (at 200));
    check ("equal", B.equal (a, b) = (l = m));
    check ("isZero", B.isZero a = List.all not l);
    same ("extend0", B.extend0 (a, k), List.tabulate (Int.max (n, k), fn i => bit (v, i)));
    same ("extend1", B.extend1 (a, k), List.tabulate (Int.max (n, k), fn i => i >= n orelse bit (v, i)));
    same ("<<", B.<< (a, Word.fromInt k), List.tabulate (n + k, fn i => bit (v, i - k)));
    same ("lshift", B.lshift (a, k), List.tabulate (n + k, fn i => bit (v, i - k)));
    same (">>", B.>> (a, Word.fromInt k), List.tabulate (Int.max (0, n - k), fn i => bit (v, i + k)));
    same ("rshift", B.rshift (a, k), List.tabulate (Int.max (0, n - k), fn i => bit (v, i + k)));
    (let
       fun inPlace (what, f, g) =
         let
           val c = copy ()
         in
           f c;
           same (what, c, map (fn (i, x) => g (x, bit (w, i))) (indexed l))
         end
     in
       inPlace ("union", fn c => B.union c b, fn (x, y) => x orelse y);
       inPlace ("intersection", fn c => B.intersection c b, fn (x, y) => x andalso y);
       inPlace ("complement", B.complement, fn (x, _) => not x);
       inPlace ("union with itself", fn c => B.union c c, fn (x, _) => x)
     end);
    (let
       val c = copy ()
       val di = random 200 - 10
     in
       case outcome (fn () => B.copy {src = b, dst = c, di = di}) of
         (SOME (), _) =>
           same ("copy", c,
                 map (fn (i, x) => if i >= di andalso i < di + length m then bit (w, i - di) else x) (indexed l))
       | (NONE, e) =>
           (check ("copy outside", e = "Subscript" andalso (di < 0 orelse di + length m > n));
            same ("not copied", c, l))
     end);
    (let val c = copy () in B.copy {src = c, dst = c, di = 0}; same ("copy to itself", c, l) end);
    (let
       val v = B.vector a
       val c = B.array (n + k, true)
     in
       B.complement a;
       B.copyVec {src = v, dst = c, di = k};
       B.complement a;
       same ("copyVec", c, List.tabulate (k, fn _ => true) @ l)
     end);
    check ("toString", B.toString a = digits v);
    same ("fromString", valOf (B.fromString (digits v)), List.tabulate (4 * ((n + 3) div 4), fn i => bit (v, i)));
    same ("fromString, capitals", valOf (B.fromString (String.map Char.toUpper (digits v))),
          List.tabulate (4 * ((n + 3) div 4), fn i => bit (v, i)))
  end

fun loop 0 = ()
  | loop n = (one (); loop (n - 1))
val () = loop 300
val () = print "done\n"
