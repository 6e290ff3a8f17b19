(* SqliteTypes': the types of parameters and columns: how their values become words, and are read from them.

   A value is a word that says what follows, and that in words of its own: runtime/entry/src/prim/rows.rs. *)

structure SqliteTypes' =
struct
  open SqliteC'

  (* Where parameters go: the words of a statement, and how many of them are written. *)
  type out = {rows : P.t, at : int ref}

  (* Room for so many words more. *)
  fun more ({rows, at} : out, words) =
    let
      val from = !at
      val size = P.getInt64 (rows, Rows.givenSize)
    in
      if from + words <= size then ()
      else Rows.enlarge (rows, Rows.given, Rows.givenSize, Int.max (2 * size, from + words));
      at := from + words;
      P.add (P.getPointer (rows, Rows.given), Word.fromInt (8 * from))
    end

  (* Takes so many values away, the first ones. *)
  fun drop ({rows, at} : out, count) =
    let
      val first = P.getPointer (rows, Rows.given)
      fun width p =
        case P.getWord64 (p, 0) of
          0w0 => 1
        | 0w1 => 2
        | head => 1 + words (Word64.toInt (Word64.>> (head, 0w2)))
      fun skip (from, 0) = from
        | skip (from, count) =
            skip (from + width (P.add (first, Word.fromInt (8 * from))), count - 1)
      val from = skip (0, count)
    in
      at := !at - from;
      ignore (move (first, P.add (first, Word.fromInt (8 * from)), Word64.fromInt (8 * !at)))
    end

  (* A letter for each column; writes a value; reads one of a column, whose number is for messages, and says where
     the next one stands. *)
  type 'a ty = {letters : string, put : out * 'a -> unit, get : P.t * int -> 'a * P.t}
  datatype ('a, 'b) product = & of 'a * 'b
  infix &

  fun null i =
    refuse (mismatch, "column " ^ Int.toString (i + 1) ^ " is NULL, and its type is not nullable")
  (* What is there is of another type, of which SQLite's number is told. *)
  fun other (i, kind, wanted) =
    refuse (mismatch,
            concat ["column ",
                    Int.toString (i + 1),
                    " has ",
                    case kind of
                      0w1 => "a whole number"
                    | 0w2 => "a real"
                    | 0w3 => "a text"
                    | _ => "a blob",
                    ", and its type is ",
                    wanted])

  (* One word behind the first, or some bytes. *)
  fun number (letter, name, put, get) : 'a ty =
    {letters = letter,
     put = fn (out, x) => let val p = more (out, 2) in P.setWord64 (p, 0, 0w1); put (p, 1, x) end,
     get = fn (p, i) =>
       case P.getWord64 (p, 0) of
         0w0 => null i
       | 0w1 => (get (p, 1), P.add (p, 0w16))
       | head => other (i, Word64.>> (head, 0w2), name)}
  fun several (letter, length, put, get) : 'a ty =
    {letters = letter,
     put = fn (out, x) =>
       let
         val count = length x
         val p = more (out, 1 + words count)
       in
         P.setWord64 (p, 0, Word64.fromInt (2 + 4 * count));
         if count > 0 then ignore (put (P.add (p, 0w8), x, Word64.fromInt count)) else ()
       end,
     get = fn (p, i) =>
       case P.getWord64 (p, 0) of
         0w0 => null i
       | head =>
           let
             val count = Word64.toInt (Word64.>> (head, 0w2))
           in
             (get (P.add (p, 0w8), count), P.add (p, Word.fromInt (8 * (1 + words count))))
           end}

  val none : unit ty = {letters = "", put = fn _ => (), get = fn (p, _) => ((), p)}
  val int = number ("i", "int", P.setInt64, P.getInt64)
  val real =
    number ("r",
            "real",
            fn (p, i, x) =>
              if Real.isNan x then
                refuse (mismatch, "NaN has no place in a database: it would be read as NULL")
              else P.setReal64 (p, i, x),
            P.getReal64)
  val bool =
    number ("i",
            "bool",
            fn (p, i, b) => P.setInt64 (p, i, if b then 1 else 0),
            fn at =>
              case P.getInt64 at of
                0 => false
              | 1 => true
              | n =>
                  refuse
                    (mismatch, "a value of type bool is " ^ Int.toString n ^ ", neither 0 nor 1"))
  val text = several ("t", size, ofString, chars)
  val blob = several ("b", Word8Vector.length, ofVector, bytes)

  fun nullable ({letters, put, get} : 'a ty) : 'a option ty =
    let
      val width = size letters
      fun nulls (p, i) = if i = width then () else (P.setWord64 (p, i, 0w0); nulls (p, i + 1))
      fun allNull (p, i) = i = width orelse P.getWord64 (p, i) = 0w0 andalso allNull (p, i + 1)
    in
      {letters = letters,
       put = fn (out, SOME x) => put (out, x) | (out, NONE) => nulls (more (out, width), 0),
       get = fn at as (p, _) =>
         if allNull (p, 0) then (NONE, P.add (p, Word.fromInt (8 * width)))
         else let val (x, next) = get at in (SOME x, next) end}
    end

  fun map (read, write) ({letters, put, get} : 'a ty) : 'b ty =
    {letters = letters,
     put = fn (out, x) => put (out, write x),
     get = fn at => let val (x, next) = get at in (read x, next) end}

  fun ** (a : 'a ty, b : 'b ty) : ('a, 'b) product ty =
    let
      val width = size (#letters a)
    in
      {letters = #letters a ^ #letters b,
       put = fn (out, x & y) => (#put a (out, x); #put b (out, y)),
       get = fn at as (_, i) =>
         let
           val (x, p) = #get a at
           val (y, p) = #get b (p, i + width)
         in
           (x & y, p)
         end}
    end
end
