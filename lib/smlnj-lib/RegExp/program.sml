(* RegExpProgramFn': rules, which are expressions, -> instructions: a nondeterministic automaton (Thompson, CACM 11:6,
   1968); and the classes of characters that the instructions tell apart. *)

functor RegExpProgramFn'
  (val groups : bool
   val lines : bool) =
struct
  structure R = RegExpSyntax
  open RegExpAutomata'

  (* So many instructions may an expression have: `a{999999999}` is short, but not small. *)
  val mostCode = 10000000

  (* Each instruction that reads divides the classes into characters that it takes and those that it does not. *)
  fun classesOf code =
    let
      val class = Array.array (256, 0)
      val count = ref 1
      fun divide takes =
        let
          (* A class's new number for the characters that are taken; ~1: not yet. *)
          val new = Array.array (!count, ~1)
          val rest = Array.array (!count, false)
          fun each f = let fun from i = if i < 256 then (f i; from (i + 1)) else () in from 0 end
          fun taken i = takes (Char.chr i)
        in
          each (fn i => if taken i then () else Array.update (rest, Array.sub (class, i), true));
          each (fn i =>
            let
              val old = Array.sub (class, i)
            in
              if taken i andalso Array.sub (rest, old) then
                (if Array.sub (new, old) < 0 then
                   (Array.update (new, old, !count); count := !count + 1)
                 else ();
                 Array.update (class, i, Array.sub (new, old)))
              else ()
            end)
        end
      val done = ref []
      fun once text =
        if List.exists (fn t => t = text) (!done) then false else (done := text :: !done; true)
      val () = if lines then divide (fn c => c = #"\n") else ()
      val () =
        Array.app
          (fn One (c, _) => if once (str c) then divide (fn d => c = d) else ()
            | Of (chars, _) =>
                if once chars then divide (fn d => String.sub (chars, Char.ord d) = #"y") else ()
            | _ => ())
          code
      val samples = CharArray.array (!count, #"\000")
      val () = Array.appi (fn (i, k) => CharArray.update (samples, k, Char.chr i)) class
    in
      (CharVector.tabulate (256, fn i => Char.chr (Array.sub (class, i))), CharArray.vector samples)
    end

  fun compileRules rules =
    let
      val code = DynamicArray.array (64, Accept ~1)
      fun emit instruction =
        let
          val at = DynamicArray.bound code + 1
        in
          if at >= mostCode then raise R.CannotCompile else ();
          DynamicArray.update (code, at, instruction);
          at
        end
      val count = ref 0

      fun setOf (chars, member, other) =
        CharVector.tabulate
          (256, fn i => if R.CharSet.member (chars, Char.chr i) then member else other)

      (* The expression with its groups numbered from outside in, from left to right; copies keep the numbers. *)
      datatype numbered =
          Leaf of int -> instruction
        | Grouped of int * int * numbered
        | Choice of numbered list
        | Sequence of numbered list
        | Repeat of numbered * int * int option

      fun number re =
        case re of
          R.Group re =>
            if groups then
              let
                val n = !count
                val () = count := n + 1
                val (inner, shapes) = number re
              in
                (Grouped (n, !count - 1, inner), [Shape (n, shapes)])
              end
            else number re
        | R.Alt l => numberAll (Choice, l)
        | R.Concat l => numberAll (Sequence, l)
        | R.Interval (re, least, most) =>
            let
              val wrong = least < 0 orelse (case most of SOME m => m < least | NONE => false)
              val () = if wrong then raise R.CannotCompile else ()
              val (inner, shapes) = number re
            in
              (Repeat (inner, least, most), shapes)
            end
        | R.MatchSet chars =>
            let val s = setOf (chars, #"y", #"n") in (Leaf (fn next => Of (s, next)), []) end
        | R.NonmatchSet chars =>
            let val s = setOf (chars, #"n", #"y") in (Leaf (fn next => Of (s, next)), []) end
        | R.Char c => (Leaf (fn next => One (c, next)), [])
        | R.Begin => (Leaf AtBegin, [])
        | R.End => (Leaf AtEnd, [])
      and numberAll (make, l) =
        let
          val numbered = List.map number l
        in
          (make (List.map #1 numbered), List.concat (List.map #2 numbered))
        end

      (* The instruction where an expression begins, with what comes behind it. *)
      fun translate (re, next) =
        case re of
          Leaf instruction => emit (instruction next)
        | Grouped (n, last, re) =>
            let val stop = emit (Stop (n, next)) in emit (Start (n, last, translate (re, stop))) end
        | Sequence l => List.foldr translate next l
        | Choice [] => raise R.CannotCompile
        (* Of equally long matches, the one by the last alternative. *)
        | Choice (first :: rest) =>
            List.foldl
              (fn (re, other) => emit (Fork (translate (re, next), other)))
              (translate (first, next))
              rest
        | Repeat (re, least, most) =>
            let
              (* One turn with what is behind it: where it begins, and whether it has instructions. Of turns without
                 instructions one is enough. *)
              fun turn next =
                let
                  val before' = DynamicArray.bound code
                  val entry = translate (re, next)
                in
                  (entry, DynamicArray.bound code <> before')
                end
              fun times (0, next) = next
                | times (n, next) =
                    case turn next of
                      (entry, true) => times (n - 1, entry)
                    | (entry, false) => entry
              fun optional (0, next) = next
                | optional (n, inner) =
                    case turn inner of
                      (entry, true) => optional (n - 1, emit (Fork (entry, next)))
                    | (entry, false) => entry
              val rest =
                case most of
                  SOME m => optional (m - least, next)
                | NONE =>
                    let
                      val loop = emit (Fork (next, next))
                    in
                      DynamicArray.update (code, loop, Fork (translate (re, loop), next));
                      loop
                    end
            in
              times (least, rest)
            end

      val numbered = List.map number rules
      val (_, starts) =
        List.foldl
          (fn ((re, _), (i, l)) => (i + 1, translate (re, emit (Accept i)) :: l))
          (0, [])
          numbered
      (* The first rule is preferred. *)
      val entry =
        case starts of
          [] => emit (Accept ~1)
        | last :: others => List.foldl (fn (start, rest) => emit (Fork (start, rest))) last others
      val code = Array.tabulate (DynamicArray.bound code + 1, fn i => DynamicArray.sub (code, i))
      val (classes, samples) = classesOf code
    in
      {code = code,
       entry = entry,
       groups = !count,
       shapes = Vector.fromList (List.map #2 numbered),
       classes = classes,
       samples = samples,
       pool = ref Empty}
    end

  fun compile re = compileRules [re]
end
