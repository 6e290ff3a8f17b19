(* RegexProgram': the tree of an expression -> instructions over bytes, forwards or backwards.

   The instructions are a nondeterministic automaton (Thompson, CACM 11:6, 1968) whose threads have an order: of Split's
   two ways the first is preferred. A set of characters becomes a small automaton over the bytes of UTF-8, in which
   equal parts are one.

   Keeps: a loop whose body may be empty is entered by a way that may be left out, so an empty turn ends it. *)

structure RegexProgram' =
struct
  open RegexSyntax'

  datatype instruction =
      (* Bytes from .. to, and the next instruction. *)
      Range of int * int * int
    (* A #"y" for each byte that is taken. *)
    | Set of string * int
    (* Bytes from .. to, each with its next instruction; backwards they may overlap, and none has a preference. *)
    | Edges of (int * int * int) vector
    | Split of int * int
    | Save of int * int
    | Assert of look * int
    | Match
    | Fail

  (* loop: the entry of a search that may begin later, with all bytes before it. *)
  type program = {code : instruction array, entry : int, loop : int}

  (* So many instructions and edges may a program have. *)
  val most = 400000

  (* -- characters as bytes *)

  (* The nodes of a set's automaton, each with its edges; a node's number is less than those of the nodes before it, and
     the last one is the root. Behind the set: ~1. *)
  type template = (int * int * int) list vector

  fun templateOf set : template =
    let
      val nodes = ref []
      val count = ref 0
      (* Edges that are there already keep their number. *)
      val buckets = Array.array (257, [])
      fun node edges =
        let
          val h =
            List.foldl (fn ((a, b, n), h) => (h * 31 + a * 7 + b + n * 13) mod 1000003) 7 edges
            mod 257
        in
          case List.find (fn (other, _) => other = edges) (Array.sub (buckets, h)) of
            SOME (_, n) => n
          | NONE =>
              let
                val n = !count
              in
                nodes := edges :: !nodes;
                count := n + 1;
                Array.update (buckets, h, (edges, n) :: Array.sub (buckets, h));
                n
              end
        end
      (* Neighbours that lead to the same place are one. *)
      fun joined ((a, b, n) :: (c, d, m) :: rest) =
            if n = m andalso b + 1 = c then joined ((a, d, n) :: rest)
            else (a, b, n) :: joined ((c, d, m) :: rest)
        | joined edges = edges

      (* What is behind k more bytes, of which each has 64 values: of the numbers below 64^k those in the ranges. *)
      fun behind (0, _, _) = ~1
        | behind (k, width, ranges) =
            node (joined (edges (k, width, 128, ranges)))
      (* `width` = 64^k; the first byte is `base` and more. *)
      and edges (k, width, base, ranges) =
        let
          val part = width div 64
          val full = [(0, part - 1)]
          (* Ranges that begin below v * part are part of what is before. *)
          fun from [] = []
            | from ((a, b) :: rest) =
                let
                  val v = a div part
                  val start = v * part
                  fun inside ((a, b) :: rest) =
                        if a >= start + part then ([], (a, b) :: rest)
                        else if b >= start + part then
                          ([(a - start, part - 1)], (start + part, b) :: rest)
                        else
                          let
                            val (here, later) = inside rest
                          in
                            ((a - start, b - start) :: here, later)
                          end
                    | inside [] = ([], [])
                in
                  if a = start andalso b - a + 1 >= 2 * part then
                    (* Several whole parts at once. *)
                    let
                      val whole = (b - a + 1) div part
                      val next = start + whole * part
                    in
                      (base + v, base + v + whole - 1, behind (k - 1, part, full))
                      :: from (if next <= b then (next, b) :: rest else rest)
                    end
                  else
                    let
                      val (here, later) = inside ((a, b) :: rest)
                    in
                      (base + v, base + v, behind (k - 1, part, here)) :: from later
                    end
                end
        in
          from ranges
        end

      fun between (from, to) = RegexChars'.intersect ([(from, to)], set)
      val ascii = List.map (fn (a, b) => (a, b, ~1)) (between (0, 0x7F))
      val two = edges (2, 64 * 64, 0xC0, between (0x80, 0x7FF))
      val three = edges (3, 64 * 64 * 64, 0xE0, between (0x800, 0xFFFF))
      val four = edges (4, 64 * 64 * 64 * 64, 0xF0, between (0x10000, 0x10FFFF))
      val root = joined (ascii @ two @ three @ four)
    in
      Vector.fromList (rev (root :: !nodes))
    end

  (* A character in UTF-8. *)
  fun encoded c =
    let
      fun tail k = chr (128 + c div k mod 64)
    in
      if c < 0x80 then str (chr c)
      else if c < 0x800 then implode [chr (0xC0 + c div 64), tail 1]
      else if c < 0x10000 then implode [chr (0xE0 + c div 4096), tail 64, tail 1]
      else implode [chr (0xF0 + c div 262144), tail 4096, tail 64, tail 1]
    end

  (* -- translation *)

  fun setString ranges =
    let
      val s = CharArray.array (256, #"n")
      fun mark (a, b) = if a > b then () else (CharArray.update (s, a, #"y"); mark (a + 1, b))
    in
      List.app mark ranges;
      CharArray.vector s
    end

  (* Backwards what is read last comes first, and groups are of no interest. *)
  fun translate {backwards} tree : program =
    let
      val code = ref (Array.array (64, Fail))
      val count = ref 0
      val weight = ref 0
      fun emit instruction =
        let
          val n = !count
        in
          if n = Array.length (!code) then
            let
              val old = !code
            in
              code := Array.tabulate (2 * n, fn i => if i < n then Array.sub (old, i) else Fail)
            end
          else ();
          Array.update (!code, n, instruction);
          count := n + 1;
          weight := !weight + (case instruction of Edges edges => Vector.length edges | _ => 1);
          n
        end
      fun patch (at, instruction) = Array.update (!code, at, instruction)

      val templates = ref []
      fun template set =
        case List.find (fn (other, _) => other = set) (!templates) of
          SOME (_, template) => template
        | NONE =>
            let
              val template = templateOf set
            in
              templates := (set, template) :: !templates;
              template
            end

      fun bytes ([], _) = emit Fail
        | bytes ([(a, b)], next) = emit (Range (a, b, next))
        | bytes (ranges, next) = emit (Set (setString ranges, next))

      fun characters ([], _) = emit Fail
        | characters (set, next) =
            let
              val template = template set
              val n = Vector.length template
              val places = Array.array (n, next)
              fun forwards i =
                if i = n then Array.sub (places, n - 1)
                else
                  let
                    fun edge (a, b, ~1) = (a, b, next)
                      | edge (a, b, to) = (a, b, Array.sub (places, to))
                  in
                    Array.update (places,
                                  i,
                                  emit (Edges (Vector.fromList
                                                 (List.map edge (Vector.sub (template, i))))));
                    forwards (i + 1)
                  end
              (* Which edges lead to a node, and to what is behind the set: the last one. *)
              fun reversed () =
                let
                  val into = Array.array (n + 1, [])
                  fun note (from, edges) =
                    List.app
                      (fn (a, b, to) =>
                        let
                          val to = if to < 0 then n else to
                        in
                          Array.update (into, to, (a, b, from) :: Array.sub (into, to))
                        end)
                      edges
                  val () = Vector.appi note template
                  fun place i =
                    emit (Edges (Vector.fromList (List.map
                                                    (fn (a, b, from) =>
                                                      (a, b, Array.sub (places, from)))
                                                    (Array.sub (into, i)))))
                  (* The root has nothing before it. *)
                  fun each i =
                    if i < 0 then () else (Array.update (places, i, place i); each (i - 1))
                in
                  each (n - 2);
                  place n
                end
            in
              if backwards then reversed () else forwards 0
            end

      fun look kind =
        if not backwards then kind
        else
          case kind of
            TextBegin => TextEnd
          | TextEnd => TextBegin
          | LineBegin => LineEnd
          | LineEnd => LineBegin
          | _ => kind

      (* The instruction where an expression begins, with what comes behind it. *)
      fun from (node, next) =
        case node of
          Empty => next
        | Byte set => bytes (set, next)
        | Character set =>
            (* each may have hundreds of edges, so an expression of many is refused before all are made *)
            if !weight > most then
              raise Syntax {position = 0, reason = "the expression is too large"}
            else characters (set, next)
        | Look kind => emit (Assert (look kind, next))
        | Group (n, node) =>
            if backwards then from (node, next)
            else
              let
                val stop = emit (Save (2 * n + 1, next))
              in
                emit (Save (2 * n, from (node, stop)))
              end
        | Concat nodes =>
            if backwards then List.foldl from next nodes else List.foldr from next nodes
        | Alternatives nodes => choice (List.map sequence nodes, next)
        | Repeat {node, least, most = limit, greedy, position} =>
            let
              fun split (into, past) = if greedy then Split (into, past) else Split (past, into)
              fun checked () =
                if !weight > most then
                  raise Syntax
                    {position = position, reason = "this repetition makes the expression too large"}
                else ()
              (* Of a body without instructions once is enough. *)
              fun times (0, next) = next
                | times (n, next) =
                    let
                      val () = checked ()
                      val before' = !count
                      val entry = from (node, next)
                    in
                      if !count = before' then entry else times (n - 1, entry)
                    end
              (* One turn at least. *)
              fun loop next =
                let
                  val again = emit Fail
                  val body = from (node, again)
                in
                  patch (again, split (body, next));
                  body
                end
              fun optional (0, inner) = inner
                | optional (n, inner) =
                    (checked (); optional (n - 1, emit (split (from (node, inner), next))))
            in
              if node = Empty then next
              else
                case limit of
                  NONE =>
                    if least > 0 then times (least - 1, loop next)
                    else if nullable node then emit (split (loop next, next))
                    else
                      let
                        val again = emit Fail
                      in
                        patch (again, split (from (node, again), next));
                        again
                      end
                | SOME limit => times (least, optional (limit - least, next))
            end

      (* The parts of an expression in the order in which they are read; one character is its bytes. *)
      and sequence node =
        case node of
          Empty => []
        | Concat nodes => List.concat (List.map sequence (if backwards then rev nodes else nodes))
        | Character [(a, b)] =>
            if a < b then [node]
            else
              let
                val bytes = List.map (fn c => Byte [(ord c, ord c)]) (explode (encoded a))
              in
                if backwards then rev bytes else bytes
              end
        | _ => [node]

      (* Of alternatives that begin with one byte each, only those with the text's byte matter, whatever stands between
         them: so they are put together by their bytes. *)
      and choice ([], _) = emit Fail
        | choice ([parts], next) = List.foldr from next parts
        | choice (alternatives, next) =
            let
              fun isByte (Byte [(a, b)] :: _) = a = b
                | isByte _ = false
              fun runs ([], run, l) = if null run then l else rev run :: l
                | runs (parts :: rest, run, l) =
                    if isByte parts then runs (rest, parts :: run, l)
                    else runs (rest, [], [parts] :: (if null run then l else rev run :: l))
              fun entry [parts] = List.foldr from next parts
                | entry run =
                    let
                      val rests = Array.array (256, [])
                      val () =
                        List.app
                          (fn Byte [(a, _)] :: rest =>
                                Array.update (rests, a, rest :: Array.sub (rests, a))
                            | _ => ())
                          run
                      fun edge (_, [], l) = l
                        | edge (b, found, l) = (b, b, choice (rev found, next)) :: l
                    in
                      case Array.foldri edge [] rests of
                        [edge] => emit (Range edge)
                      | edges => emit (Edges (Vector.fromList edges))
                    end
            in
              case runs (alternatives, [], []) of
                [] => emit Fail
              | last :: others =>
                  List.foldl
                    (fn (run, other) => emit (Split (entry run, other)))
                    (entry last)
                    others
            end

      val entry = from (tree, emit Match)
      val () =
        if !weight > most then raise Syntax {position = 0, reason = "the expression is too large"}
        else ()
      val loop = emit Fail
      val any = emit (Range (0, 255, loop))
      val () = patch (loop, Split (entry, any))
      val all = !code
    in
      {code = Array.tabulate (!count, fn i => Array.sub (all, i)), entry = entry, loop = loop}
    end

  (* -- what is known of a program *)

  (* For each byte its class: bytes of a class are the same for every instruction. How many classes there are. *)
  fun classesOf ({code, ...} : program) =
    let
      val starts = Array.array (257, false)
      fun start i = Array.update (starts, i, true)
      fun range (a, b) = (start a; start (b + 1))
      fun set s =
        let
          fun each i =
            if i > 255 then ()
            else (if String.sub (s, i) <> String.sub (s, i - 1) then start i else (); each (i + 1))
        in
          each 1
        end
      fun instruction i =
        case i of
          Range (a, b, _) => range (a, b)
        | Set (s, _) => set s
        | Edges edges => Vector.app (fn (a, b, _) => range (a, b)) edges
        | Assert (LineBegin, _) => range (10, 10)
        | Assert (LineEnd, _) => range (10, 10)
        | Assert (TextBegin, _) => ()
        | Assert (TextEnd, _) => ()
        | Assert _ => (List.app range RegexChars'.word; start 0x80)
        | _ => ()
      val () = Array.app instruction code
      val count = ref 0
      fun class i =
        (if i > 0 andalso Array.sub (starts, i) then count := !count + 1 else (); Char.chr (!count))
      val classes = CharVector.tabulate (256, class)
    in
      (classes, !count + 1)
    end

  fun hasUnicodeWord ({code, ...} : program) =
    Array.exists
      (fn Assert (UnicodeWord, _) => true
        | Assert (NotUnicodeWord, _) => true
        | _ => false)
      code

  (* The bytes with which a match can begin, unless one can be empty. *)
  fun firstBytes ({code, entry, ...} : program) =
    let
      val seen = Array.array (Array.length code, false)
      val found = CharArray.array (256, #"n")
      fun mark (a, b) = if a > b then () else (CharArray.update (found, a, #"y"); mark (a + 1, b))
      fun visit [] = true
        | visit (pc :: rest) =
            if Array.sub (seen, pc) then visit rest
            else
              (Array.update (seen, pc, true);
               case Array.sub (code, pc) of
                 Range (a, b, _) => (mark (a, b); visit rest)
               | Set (s, _) =>
                   (CharVector.appi (fn (i, c) => if c = #"y" then mark (i, i) else ()) s;
                    visit rest)
               | Edges edges => (Vector.app (fn (a, b, _) => mark (a, b)) edges; visit rest)
               | Split (a, b) => visit (a :: b :: rest)
               | Save (_, next) => visit (next :: rest)
               | Assert (_, next) => visit (next :: rest)
               | Match => false
               | Fail => visit rest)
    in
      if visit [entry] then SOME (CharArray.vector found) else NONE
    end

  (* A match begins at the text's beginning only. *)
  fun anchored node =
    case node of
      Look TextBegin => true
    | Group (_, node) => anchored node
    | Concat (first :: _) => anchored first
    | Alternatives (nodes as _ :: _) => List.all anchored nodes
    | Repeat {node, least, ...} => least > 0 andalso anchored node
    | _ => false

  (* The text with which each match begins, and whether that is all of it. *)
  fun prefix tree =
    let
      fun of' node =
        case node of
          Empty => ("", true)
        | Byte [(a, b)] => if a = b then (str (chr a), true) else ("", false)
        | Character [(a, b)] => if a = b then (encoded a, true) else ("", false)
        | Group (_, node) => of' node
        | Concat nodes =>
            let
              fun all ([], parts) = (concat (rev parts), true)
                | all (node :: rest, parts) =
                    case of' node of
                      (s, true) => all (rest, s :: parts)
                    | (s, false) => (concat (rev (s :: parts)), false)
            in
              all (nodes, [])
            end
        | Repeat {node, least, most, ...} =>
            (case of' node of
               (s, true) =>
                 if least > 0 andalso least * size s <= 100 then
                   (concat (List.tabulate (least, fn _ => s)), most = SOME least)
                 else ("", false)
             | (s, false) => (if least > 0 then s else "", false))
        | _ => ("", false)
    in
      of' tree
    end
end
