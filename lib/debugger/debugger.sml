(* What a program under the debugger runs when one of its probes stops: the compiler puts calls of `stop` into it
   (driver/src/probes.rs). What is asked for is described as JSON:

     "text"                              a value without parts, as it is printed
     ["=", TYPE, "text"]                 likewise, where its type is known; of a string its characters themselves
     [KIND, NAME, COUNT, FIRST, [..]]    a value with parts, of which some from FIRST on follow

   Each character of a text is one of SML's, a byte; so the texts are ASCII, whatever is in them.
   KIND is t (tuple), r (record, whose labels are NAME), c (constructor NAME), f (ref), a (array), v (vector), l (list). *)

structure Debugger' =
struct
  open Shape'

  (* a scope: its variables by number, the innermost first *)
  type scope = int -> shape

  val asked = PrimDebugger'.debug_asked

  (* elements of a list beyond these are not counted *)
  val most = 100000

  fun quoted s =
    let
      fun escape #"\"" = "\\\""
        | escape #"\\" = "\\\\"
        | escape c =
            if Char.isPrint c then String.str c
            else "\\u" ^ StringCvt.padLeft #"0" 4 (Int.fmt StringCvt.HEX (Char.ord c))
    in
      "\"" ^ String.translate escape s ^ "\""
    end

  fun typed (ty, text) = String.concat ["[\"=\",\"", ty, "\",", quoted text, "]"]

  fun leaf shape =
    case shape of
      Constant "nil" => quoted "[]"
    | Other s => quoted s
    | Constant s => quoted s
    | Int i => typed ("int", Int.toString i)
    | Int8 i => typed ("int8", Int8.toString i)
    | Int16 i => typed ("int16", Int16.toString i)
    | Int32 i => typed ("int32", Int32.toString i)
    | Large i => typed ("intinf", IntInf.toString i)
    | Word w => typed ("word", "0wx" ^ Word.toString w)
    | Word8 w => typed ("word8", "0wx" ^ Word8.toString w)
    | Word16 w => typed ("word16", "0wx" ^ Word16.toString w)
    | Word32 w => typed ("word32", "0wx" ^ Word32.toString w)
    | Char c => typed ("char", "#\"" ^ Char.toString c ^ "\"")
    | String s => typed ("string", s)
    | Real r => typed ("real", Real.toString r)
    | Real32 r => typed ("real32", Real32.fmt (StringCvt.GEN (SOME 7)) r)
    | Exn e => typed ("exn", exnMessage e)
    | _ => quoted "?"

  (* the rest of a list from its n-th cell on *)
  fun cell (shape, 0) = shape
    | cell (Con ("::", _, part), n) =
        (case part 0 of
           Tuple (_, _, pair) => cell (pair 1, n - 1)
         | other => other)
    | cell (shape, _) = shape

  fun head (Con ("::", _, part)) =
        (case part 0 of
           Tuple (_, _, pair) => pair 0
         | other => other)
    | head shape = shape

  fun count (shape, n) =
    case shape of
      Con ("::", _, part) =>
        if n = most then n
        else
          (case part 0 of
             Tuple (_, _, pair) => count (pair 1, n + 1)
           | _ => n + 1)
    | _ => n

  (* the parts of a value: kind, name, how many, and each of them *)
  fun parts shape =
    case shape of
      Tuple (_, n, part) => SOME ("t", "", n, part)
    | Record (labels, n, part) => SOME ("r", labels, n, part)
    | Con ("::", _, _) => SOME ("l", "", count (shape, 0), fn i => head (cell (shape, i)))
    | Con (name, n, part) => SOME ("c", name, n, part)
    | Ref (_, n, part) => SOME ("f", "", n, part)
    | Array (_, n, part) => SOME ("a", "", n, part)
    | Vector (_, n, part) => SOME ("v", "", n, part)
    | _ => NONE

  (* Parts of all that is asked for. What stands in a value many times is described many times, at each level again. *)
  val room = ref 0
  val mostParts = 20000

  fun text (shape, depth, first, length) =
    case parts shape of
      NONE => leaf shape
    | SOME (kind, name, n, part) =>
        let
          val first = Int.min (first, n)
          val last =
            if depth <= 0 orelse !room <= 0 then first else first + Int.min (length, n - first)
          val () = room := !room - (last - first)
          (* the cells of a list are gone through once *)
          fun each (i, rest) =
            if i = last then []
            else
              (if kind = "l" then text (head rest, depth - 1, 0, length)
               else text (part i, depth - 1, 0, length))
              :: each (i + 1, if kind = "l" then cell (rest, 1) else rest)
          val start = if kind = "l" then cell (shape, first) else shape
          val shown = "[" ^ String.concatWith "," (each (first, start)) ^ "]"
          val numbers = map Int.toString [n, first]
        in
          "[" ^ String.concatWith "," (quoted kind :: quoted name :: numbers @ [shown]) ^ "]"
        end

  (* the part at the end of the path that is asked for *)
  fun walk (shape, i) =
    if i = asked 4 then shape
    else
      case parts shape of
        SOME (_, _, _, part) => walk (part (asked (5 + i)), i + 1)
      | NONE => shape

  fun answer () =
    let
      val scope : scope = PrimDebugger'.debug_scope ()
      val () = room := mostParts
      val text =
        text (walk (scope (asked 0), 0), asked 1, asked 2, asked 3)
        handle e => quoted ("raises " ^ exnMessage e)
    in
      PrimDebugger'.debug_answer text
    end

  (* somebody looks at the program, which stands at this place *)
  (* a program of one declaration has one call of it, whose frame is still its own *)
  fun stop place =
    let
      fun go again =
        if PrimDebugger'.debug_stop (place, again) then (answer (); go true) else ()
    in
      PrimFunctions'.noinline ();
      go false
    end
end
