(* String: immutable vectors of characters. *)

signature STRING =
sig
  eqtype string
  eqtype char

  (* How many characters a string can have. *)
  val maxSize : int
  (* How many characters it has. It does not walk the string. *)
  val size : string -> int
  (* Character i, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : string * int -> char
  (* From character i to the end with NONE, or n characters from i with SOME n. Raises Subscript when the string has
     not so many. *)
  val extract : string * int * int option -> string
  (* n characters from character i: a copy. Raises Subscript when the string has not so many. *)
  val substring : string * int * int -> string
  (* The first string, then the second: a new string. Raises Size when it would be too long. *)
  val ^ : string * string -> string
  (* All strings one behind the other. Raises Size when the result would be too long. *)
  val concat : string list -> string
  (* All strings one behind the other, with the first argument between two of them. Raises Size as `concat`. *)
  val concatWith : string -> string list -> string
  (* The string of that one character. *)
  val str : char -> string
  (* The string of these characters. Raises Size when there are too many. *)
  val implode : char list -> string
  (* The characters, as a list. *)
  val explode : string -> char list
  (* The string of what the function gives for each character, from left to right. *)
  val map : (char -> char) -> string -> string
  (* The strings that the function gives for each character, one behind the other. *)
  val translate : (char -> string) -> string -> string
  (* The parts between the characters that satisfy the predicate, without empty ones. *)
  val tokens : (char -> bool) -> string -> string list
  (* The parts between the characters that satisfy the predicate; parts may be empty, and there is one at least. *)
  val fields : (char -> bool) -> string -> string list
  (* Whether the second string begins with the first. *)
  val isPrefix : string -> string -> bool
  (* Whether the first string stands anywhere in the second. *)
  val isSubstring : string -> string -> bool
  (* Whether the second string ends with the first. *)
  val isSuffix : string -> string -> bool
  (* The order of two strings by the numbers of their characters; a string that ends first is less. *)
  val compare : string * string -> order
  (* The order of two strings by the order of characters that is given; a string that ends first is less. *)
  val collate : (char * char -> order) -> string * string -> order
  (* Whether the first string is less than the second, by `compare`. *)
  val < : string * string -> bool
  (* Whether the first string is not greater than the second. *)
  val <= : string * string -> bool
  (* Whether the first string is greater than the second. *)
  val > : string * string -> bool
  (* Whether the first string is not less than the second. *)
  val >= : string * string -> bool
  (* The string as a literal of Standard ML, without quotes: what cannot be printed is escaped. *)
  val toString : string -> String.string
  (* Reads characters and escapes of Standard ML as far as they go. NONE when the first thing is neither. *)
  val scan : (Char.char, 'a) StringCvt.reader -> (string, 'a) StringCvt.reader
  (* Reads a string with escapes of Standard ML, as far as it goes; NONE when it begins with a wrong escape. *)
  val fromString : String.string -> string option
  (* The string as a literal of C, without quotes. *)
  val toCString : string -> String.string
  (* Reads a string with escapes of C, as far as it goes; NONE when it begins with a wrong escape. *)
  val fromCString : String.string -> string option
end

(* What String and Substring are made of; not for users. *)
structure StringPrim' =
struct
  val size = PrimStrings'.string_size
  val unsafeSub = PrimStrings'.string_sub_unsafe
  val unsafeExtract = PrimStrings'.string_extract_unsafe
  val unsafeNew = PrimArrays'.array_new_uninit : int -> char array
  val unsafeSet = PrimArrays'.array_update_unsafe : char array * int * char -> unit
  val freeze = PrimArrays'.cast : char array -> string
  val thaw = PrimArrays'.cast : string -> char array
  val copy = PrimArrays'.array_copy_unsafe : char array * int * char array * int * int -> unit
  val compare = PrimStrings'.string_compare

  (* the pieces (string, start, length) one after the other *)
  fun joinSlices slices =
    let
      fun total ([], n) = n
        | total ((_, _, k) :: rest, n) = total (rest, n + k)
      val a = unsafeNew (total (slices, 0) handle Overflow => raise Size)
      fun fill (_, []) = ()
        | fill (at, (s, i, k) :: rest) = (copy (thaw s, i, a, at, k); fill (at + k, rest))
    in
      fill (0, slices);
      freeze a
    end

  (* how many of the first n characters of s agree with those of t from j on, up to the first that does not *)
  fun agreeing (s, t, j, n) =
    let
      fun go k =
        if k < n andalso unsafeSub (s, k) = unsafeSub (t, Bits'.plus (j, k)) then go (k + 1) else k
    in
      go 0
    end
  (* do all of them agree? *)
  fun same (s, t, j, n) = agreeing (s, t, j, n) = n

  (* a set of characters: those that differ in more than the low six bits are one *)
  fun bit c = PrimWords'.word_shl (0w1, PrimWords'.word_and (PrimWords'.bits c, 0w63))
  fun mayHave (set, c) = PrimWords'.word_and (set, bit c) <> 0w0

  (* The first place, from i to last, where s stands in t, or ~1. A table says how much of s still agrees where the next
     character does not (Knuth, Morris and Pratt, 1977), so no character of t is looked at again. *)
  fun steadily (s, t, i, last) =
    let
      val () = PrimFunctions'.noinline ()
      val m = size s
      (* For each number of characters the longest part that both begins and ends them, but is not all of them. *)
      val table : int array = PrimArrays'.array_new (m + 1, 0)
      fun longer (j, c) =
        if unsafeSub (s, j) = c then j + 1
        else if j = 0 then 0
        else longer (PrimArrays'.array_sub_unsafe (table, j), c)
      fun fill (q, j) =
        if q = m then ()
        else
          let
            val j = longer (j, unsafeSub (s, q))
          in
            PrimArrays'.array_update_unsafe (table, q + 1, j);
            fill (q + 1, j)
          end
      val stop = last + m
      fun go (k, j) =
        if j = m then k - m
        else if k = stop then ~1
        else go (k + 1, longer (j, unsafeSub (t, k)))
    in
      fill (1, 0);
      go (i, 0)
    end

  (* The same. A place is looked at from its last character. Where s does not stand, and the character behind the place
     is none of s's, no place that has that character can be right, so the search goes on behind it (after Sunday,
     1990).

         s = lazy             jumps over the lazy dog
                              ^^^^ behind it is an s; the next place:
                                   ^^^^ behind it is an e; and so on

     Where much of a long s agrees in vain, as in rows of equal characters, `steadily` goes on: so the time is
     linear. *)
  fun place (s, t, i, last) =
    let
      val m = size s
      val stop = Bits'.plus (last, m)
      fun plain (k, c) =
        if k = stop then ~1 else if unsafeSub (t, k) = c then k else plain (Bits'.plus (k, 1), c)
      fun setOf (j, set) =
        if j = m then set
        else setOf (j + 1, PrimWords'.word_or (set, bit (unsafeSub (s, j))))
      fun skipping (final, set) =
        let
          (* where the next place ends whose last character is right; `stop` or more if there is none *)
          fun candidate e =
            if e >= stop orelse unsafeSub (t, e) = final then e else behind (Bits'.plus (e, 1))
          and behind e =
            if e >= stop orelse mayHave (set, unsafeSub (t, e)) then candidate e
            else candidate (Bits'.plus (e, m))
          fun from e =
            let
              val e = candidate e
            in
              if e >= stop then ~1
              else
                let
                  val k = Bits'.minus (e, m - 1)
                  val n = agreeing (s, t, k, m - 1)
                in
                  if n = m - 1 then k
                  else if n > 16 then steadily (s, t, k, last)
                  else from (behind (Bits'.plus (e, 1)))
                end
            end
        in
          from (Bits'.plus (i, m - 1))
        end
    in
      if i > last then ~1
      else if m = 0 then i
      else if m = 1 then plain (i, unsafeSub (s, 0))
      else skipping (unsafeSub (s, m - 1), setOf (0, 0w0))
    end
end

structure String : STRING =
struct
  open StringPrim'
  type string = string
  type char = char

  val maxSize = 70368744177663
  val sub = PrimStrings'.string_sub
  val op ^ = PrimStrings'.string_concat
  val newChars = PrimArrays'.array_new : int * char -> char array

  fun substring (s, i, n) =
    if i < 0 orelse n < 0 orelse i > size s - n then raise Subscript
    else unsafeExtract (s, i, n)

  fun extract (s, i, NONE) =
        if i < 0 orelse i > size s then raise Subscript else unsafeExtract (s, i, size s - i)
    | extract (s, i, SOME n) = substring (s, i, n)

  (* The strings of one character. *)
  val singles =
    #["\000", "\001", "\002", "\003", "\004", "\005", "\006", "\007", "\008", "\009", "\010",
      "\011", "\012", "\013", "\014", "\015", "\016", "\017", "\018", "\019", "\020", "\021",
      "\022", "\023", "\024", "\025", "\026", "\027", "\028", "\029", "\030", "\031", " ", "!",
      "\"", "#", "$", "%", "&", "'", "(", ")", "*", "+", ",", "-", ".", "/", "0", "1", "2", "3",
      "4", "5", "6", "7", "8", "9", ":", ";", "<", "=", ">", "?", "@", "A", "B", "C", "D", "E", "F",
      "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X", "Y",
      "Z", "[", "\\", "]", "^", "_", "`", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
      "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z", "{", "|", "}", "~",
      "\127", "\128", "\129", "\130", "\131", "\132", "\133", "\134", "\135", "\136", "\137",
      "\138", "\139", "\140", "\141", "\142", "\143", "\144", "\145", "\146", "\147", "\148",
      "\149", "\150", "\151", "\152", "\153", "\154", "\155", "\156", "\157", "\158", "\159",
      "\160", "\161", "\162", "\163", "\164", "\165", "\166", "\167", "\168", "\169", "\170",
      "\171", "\172", "\173", "\174", "\175", "\176", "\177", "\178", "\179", "\180", "\181",
      "\182", "\183", "\184", "\185", "\186", "\187", "\188", "\189", "\190", "\191", "\192",
      "\193", "\194", "\195", "\196", "\197", "\198", "\199", "\200", "\201", "\202", "\203",
      "\204", "\205", "\206", "\207", "\208", "\209", "\210", "\211", "\212", "\213", "\214",
      "\215", "\216", "\217", "\218", "\219", "\220", "\221", "\222", "\223", "\224", "\225",
      "\226", "\227", "\228", "\229", "\230", "\231", "\232", "\233", "\234", "\235", "\236",
      "\237", "\238", "\239", "\240", "\241", "\242", "\243", "\244", "\245", "\246", "\247",
      "\248", "\249", "\250", "\251", "\252", "\253", "\254", "\255"]
  fun str c =
    PrimArrays'.array_sub_unsafe (PrimArrays'.cast singles : string array, PrimWords'.bits c)

  (* n characters more than these strings have together, each with k more *)
  fun room (n, k, l) =
    let
      fun total ([], n) = n
        | total (s :: rest, n) = total (rest, n + (size s + k))
    in
      unsafeNew (total (l, n) handle Overflow => raise Size)
    end

  fun concat [] = ""
    | concat [s] = s
    | concat l =
        let
          val a = room (0, 0, l)
          fun fill (_, []) = ()
            | fill (at, s :: rest) = (copy (thaw s, 0, a, at, size s); fill (at + size s, rest))
        in
          fill (0, l);
          freeze a
        end

  fun concatWith _ [] = ""
    | concatWith _ [s] = s
    | concatWith separator (first :: rest) =
        let
          val k = size separator
          val a = room (size first, k, rest)
          fun fill (_, []) = ()
            | fill (at, s :: rest) =
                (copy (thaw separator, 0, a, at, k);
                 copy (thaw s, 0, a, at + k, size s);
                 fill (at + k + size s, rest))
        in
          copy (thaw first, 0, a, 0, size first);
          fill (size first, rest);
          freeze a
        end

  fun implode chars =
    let
      val a = unsafeNew (List.length chars)
      fun fill (_, []) = ()
        | fill (i, c :: rest) = (unsafeSet (a, i, c); fill (i + 1, rest))
    in
      fill (0, chars);
      freeze a
    end

  fun explode s =
    let
      fun go (0, l) = l
        | go (i, l) = go (i - 1, unsafeSub (s, i - 1) :: l)
    in
      go (size s, [])
    end

  fun map f s =
    let
      val n = size s
      val a = unsafeNew n
      fun fill i =
        if i = n then freeze a
        else
          let
            val c = f (unsafeSub (s, i))
          in
            if !Reentry'.isPossible then
              unsafeExtract (freeze a, 0, i) ^ slowly (i + 1, [c])
            else (unsafeSet (a, i, c); fill (i + 1))
          end
      (* the last one first *)
      and slowly (i, l) =
        if i = n then implode (List.rev l) else slowly (i + 1, f (unsafeSub (s, i)) :: l)
    in
      fill 0
    end

  (* The pieces go into an array that is made larger when one has no room; at first it has the size of the text, which is
     right when each character becomes one. *)
  fun translate f s =
    let
      val n = size s
      fun put (t, 1, a, at) = unsafeSet (a, at, unsafeSub (t, 0))
        | put (t, k, a, at) = copy (thaw t, 0, a, at, k)
      fun go (i, a, room, used) =
        if i = n then if used = room then freeze a else unsafeExtract (freeze a, 0, used)
        else
          let
            val t = f (unsafeSub (s, i))
            val k = size t
          in
            if !Reentry'.isPossible then
              concat (unsafeExtract (freeze a, 0, used) :: t :: slowly (i + 1, []))
            else if k <= room - used then (put (t, k, a, used); go (i + 1, a, room, used + k))
            else
              let
                val larger = 2 * room + k handle Overflow => raise Size
                val b = unsafeNew larger
              in
                copy (a, 0, b, 0, used);
                put (t, k, b, used);
                go (i + 1, b, larger, used + k)
              end
          end
      (* the last one first *)
      and slowly (i, l) = if i = n then List.rev l else slowly (i + 1, f (unsafeSub (s, i)) :: l)
    in
      if n = 0 then ""
      else if n = 1 then f (unsafeSub (s, 0))
      else go (0, unsafeNew n, n, 0)
    end

  (* The pieces between separators; `keep` says whether an empty piece counts. The predicate may have a state: it is asked
     from left to right, once for each character. *)
  fun pieces keep isSeparator s =
    let
      val n = size s
      (* the last one first *)
      fun add (start, stop, l) =
        if keep orelse start < stop then unsafeExtract (s, start, stop - start) :: l else l
      fun ending i =
        if i < n andalso not (isSeparator (unsafeSub (s, i))) then ending (i + 1) else i
      fun go (start, l) =
        let
          val stop = ending start
          val l = add (start, stop, l)
        in
          if stop = n then List.rev l else go (stop + 1, l)
        end
    in
      go (0, [])
    end
  fun tokens isSeparator s = pieces false isSeparator s
  fun fields isSeparator s = pieces true isSeparator s

  fun isPrefix s t = size s <= size t andalso same (s, t, 0, size s)
  fun isSuffix s t = size s <= size t andalso same (s, t, size t - size s, size s)
  fun isSubstring s t = place (s, t, 0, size t - size s) >= 0

  fun compare (s, t) =
    let
      val c = StringPrim'.compare (s, t)
    in
      if c = 0 then EQUAL else if c < 0 then LESS else GREATER
    end

  fun collate order (s, t) =
    let
      val m = size s
      val n = size t
      fun go i =
        if i = m then (if i = n then EQUAL else LESS)
        else if i = n then GREATER
        else
          case order (unsafeSub (s, i), unsafeSub (t, i)) of
            EQUAL => go (i + 1)
          | unequal => unequal
    in
      go 0
    end

  fun toString s = translate Char.toString s
  fun toCString s = translate Char.toCString s

  (* The longest sequence that a scanner of characters accepts. An empty one counts when the input is empty or begins with
     something that stands for nothing; `skip` goes behind all of that. *)
  fun many (scan, skip) getc src =
    let
      fun go (src, l) =
        case scan getc src of
          SOME (c, src) => go (src, c :: l)
        | NONE => (l, src)
    in
      case go (src, []) of
        ([], rest) =>
          (case (getc rest, skip getc rest) of
             (NONE, _) => SOME ("", rest)
           | (_, SOME rest) => SOME ("", rest)
           | _ => NONE)
      | (l, rest) => SOME (implode (List.rev l), rest)
    end
  fun gaps getc src = Option.map (Char'.skipGap getc) (Char'.gap getc src)
  fun scan getc src = many (Char'.scan, gaps) getc src
  fun fromString s = StringCvt.scanString scan s
  fun scanC getc src = many (Char'.scanC, fn _ => fn _ => NONE) getc src
  fun fromCString s = StringCvt.scanString scanC s

  val op < = PrimStrings'.string_lt
  val op <= = PrimStrings'.string_le
  val op > = PrimStrings'.string_gt
  val op >= = PrimStrings'.string_ge
end

val op ^ = String.^
val concat = String.concat
val explode = String.explode
val implode = String.implode
val size = String.size
val str = String.str
val substring = String.substring
