(* Expected (-O0): ks14 ks17 ks34 ks1 ks7 ks41 0 0 0, a line each.
   Found: the compiler panics (ssa/src/opt/simplify.rs:285); --verify=each: M3, after simplify1.
   compiler/mono/src/opt/ends.rs, jump: the arm of Both is a join, which is copied to its ends, where k and w are known:
   there the case of case has 18 ends, and a second link with other types, so its group is in `stale`. Nobody calls
   settle for the body that the copy went to (take does so for an arm that moves). *)
datatype kind = Plain | Mark | Digit of int
datatype word = Short | Long | Number of int
datatype both = Both of kind * word | None

val debug = false
fun look (c, x, s) =
  let
    val both = if c = 0 then Both (Digit x, Number 7) else if c = 1 then Both (Digit 1, Number x) else None
    val (a, b, y) =
      case both of
        Both (k, w) =>
          let
            val i = case k of Plain => 1 | Mark => 2 | Digit i => i
            val j = case w of Short => 1 | Long => 2 | Number j => j
            val kind =
              case x of
                0 => k | 1 => k | 2 => k | 3 => k | 4 => k | 5 => k | 6 => k | 7 => k | 8 => k | 9 => k | 10 => k
              | 11 => k | 12 => k | 13 => k | 14 => k | 15 => k | 16 => k | _ => k
            val word = case kind of Plain => w | Mark => w | Digit _ => w
          in
            case word of Short => (1, s, 1) | Long => (2, s ^ "!", 2) | Number n => (n + i + j, "k" ^ s, 3)
          end
      | None => (0, "", 0)
  in
    print (b ^ Int.toString a ^ (if debug then Int.toString y else "") ^ "\n")
  end
val () = app (fn c => app (fn x => look (c, x, "s")) [0, 3, 20]) [0, 1, 2]
