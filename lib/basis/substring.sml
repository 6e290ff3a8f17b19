(* Substring: parts of strings, without a copy. A substring is (string, start, length). *)

signature SUBSTRING =
sig
  type substring
  eqtype char
  eqtype string

  (* Character i of the part, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : substring * int -> char
  (* How many characters the part has. *)
  val size : substring -> int
  (* The string that it is part of, where it starts there, and its length. *)
  val base : substring -> string * int * int
  (* The part from character i to the end with NONE, or n characters from i with SOME n; nothing is copied. Raises
     Subscript when it does not lie within the string. *)
  val extract : string * int * int option -> substring
  (* The part of n characters from character i; nothing is copied. Raises Subscript when it does not lie within the
     string. *)
  val substring : string * int * int -> substring
  (* All of the string, as a part of it. *)
  val full : string -> substring
  (* The part as a string of its own: a copy. *)
  val string : substring -> string
  (* Whether the part has no characters. *)
  val isEmpty : substring -> bool
  (* SOME of the first character and the rest, or NONE of an empty part: a reader for `StringCvt`. *)
  val getc : substring -> (char * substring) option
  (* SOME of the first character, or NONE of an empty part. *)
  val first : substring -> char option
  (* The part without its first k characters; empty when it has fewer. Raises Subscript when k is negative. *)
  val triml : int -> substring -> substring
  (* The part without its last k characters; empty when it has fewer. Raises Subscript when k is negative. *)
  val trimr : int -> substring -> substring
  (* The part of a part: from i to its end with NONE, or n characters from i. Raises Subscript when it does not lie
     within. *)
  val slice : substring * int * int option -> substring
  (* All parts one behind the other, as a string. Raises Size when it would be too long. *)
  val concat : substring list -> string
  (* All parts one behind the other, with the string between two of them. Raises Size when the result would be too
     long. *)
  val concatWith : string -> substring list -> string
  (* The characters, as a list. *)
  val explode : substring -> char list
  (* Whether the part begins with the string. *)
  val isPrefix : string -> substring -> bool
  (* Whether the string stands anywhere in the part. *)
  val isSubstring : string -> substring -> bool
  (* Whether the part ends with the string. *)
  val isSuffix : string -> substring -> bool
  (* The order of two parts by the numbers of their characters; a part that ends first is less. *)
  val compare : substring * substring -> order
  (* The order of two parts by the order of characters that is given; a part that ends first is less. *)
  val collate : (char * char -> order) -> substring * substring -> order
  (* The longest start whose characters all satisfy the predicate, and the rest. *)
  val splitl : (char -> bool) -> substring -> substring * substring
  (* The rest, and the longest end whose characters all satisfy the predicate. *)
  val splitr : (char -> bool) -> substring -> substring * substring
  (* The first i characters, and the rest. Raises Subscript when there are fewer. *)
  val splitAt : substring * int -> substring * substring
  (* The part without its longest start of characters that satisfy the predicate. *)
  val dropl : (char -> bool) -> substring -> substring
  (* The part without its longest end of characters that satisfy the predicate. *)
  val dropr : (char -> bool) -> substring -> substring
  (* The longest start whose characters all satisfy the predicate. *)
  val takel : (char -> bool) -> substring -> substring
  (* The longest end whose characters all satisfy the predicate. *)
  val taker : (char -> bool) -> substring -> substring
  (* What stands before the first place where the string occurs, and the rest from there on; all and an empty rest
     where it does not occur. *)
  val position : string -> substring -> substring * substring
  (* From the start of the first part to the end of the second. Raises Span when they are not of one string, or the
     second ends before the first starts. *)
  val span : substring * substring -> substring
  (* The strings that the function gives for each character, one behind the other. *)
  val translate : (char -> string) -> substring -> string
  (* The parts between the characters that satisfy the predicate, without empty ones. *)
  val tokens : (char -> bool) -> substring -> substring list
  (* The parts between the characters that satisfy the predicate; parts may be empty, and there is one at least. *)
  val fields : (char -> bool) -> substring -> substring list
  (* Calls the function on each character, from left to right. *)
  val app : (char -> unit) -> substring -> unit
  (* Goes from left to right: calls the function with a character and the result so far. *)
  val foldl : (char * 'a -> 'a) -> 'a -> substring -> 'a
  (* Goes from right to left: calls the function with a character and the result so far. *)
  val foldr : (char * 'a -> 'a) -> 'a -> substring -> 'a
end

structure Substring :> sig
  include SUBSTRING where type char = char where type string = string
  (* the name of 1997 for full *)
  val all : string -> substring
end =
struct
  open StringPrim'
  type char = char
  type string = string
  type substring = string * int * int

  fun sub ((s, i, n), k) = if k < 0 orelse k >= n then raise Subscript else unsafeSub (s, i + k)
  fun size (_, _, n) = n
  fun base part = part

  fun substring (s, i, n) =
    if i < 0 orelse n < 0 orelse i > String.size s - n then raise Subscript else (s, i, n)
  fun extract (s, i, SOME n) = substring (s, i, n)
    | extract (s, i, NONE) =
        if i < 0 orelse i > String.size s then raise Subscript else (s, i, String.size s - i)
  fun full s = (s, 0, String.size s)
  val all = full
  fun string (s, i, n) = unsafeExtract (s, i, n)

  fun isEmpty (_, _, n) = n = 0
  fun getc (s, i, 0) = NONE
    | getc (s, i, n) = SOME (unsafeSub (s, i), (s, i + 1, n - 1))
  fun first (s, i, 0) = NONE
    | first (s, i, _) = SOME (unsafeSub (s, i))

  fun triml k =
    if k < 0 then raise Subscript
    else fn (s, i, n) => if k >= n then (s, i + n, 0) else (s, i + k, n - k)
  fun trimr k =
    if k < 0 then raise Subscript
    else fn (s, i, n) => if k >= n then (s, i, 0) else (s, i, n - k)
  fun slice ((s, i, n), j, NONE) = if j < 0 orelse j > n then raise Subscript else (s, i + j, n - j)
    | slice ((s, i, n), j, SOME m) =
        if j < 0 orelse m < 0 orelse j > n - m then raise Subscript else (s, i + j, m)

  fun concat parts = joinSlices parts
  fun concatWith separator [] = ""
    | concatWith separator (first :: rest) =
        concat (first :: List.foldr (fn (part, l) => full separator :: part :: l) [] rest)

  fun foldl f init (s, i, n) =
    let
      val stop = i + n
      fun go (i, acc) = if i = stop then acc else go (i + 1, f (unsafeSub (s, i), acc))
    in
      go (i, init)
    end
  fun foldr f init (s, start, n) =
    let
      fun go (i, acc) = if i < start then acc else go (i - 1, f (unsafeSub (s, i), acc))
    in
      go (start + n - 1, init)
    end
  fun app f part = foldl (fn (c, ()) => f c) () part
  fun explode part = foldr (op ::) [] part
  fun translate f part = String.translate f (string part)

  fun isPrefix s (t, i, n) = String.size s <= n andalso same (s, t, i, String.size s)
  fun isSuffix s (t, i, n) =
    let val m = String.size s in m <= n andalso same (s, t, i + n - m, m) end

  fun collate order ((s, i, m), (t, j, n)) =
    let
      fun go k =
        if k = m then (if k = n then EQUAL else LESS)
        else if k = n then GREATER
        else
          case order (unsafeSub (s, i + k), unsafeSub (t, j + k)) of
            EQUAL => go (k + 1)
          | unequal => unequal
    in
      go 0
    end
  fun compare parts = collate Char.compare parts

  (* index of the first character from i that does not satisfy p, at most stop *)
  fun skip (p, s, i, stop) =
    if i < stop andalso p (unsafeSub (s, i)) then skip (p, s, i + 1, stop) else i
  (* index behind the last character before stop that does not satisfy p, at least start *)
  fun skipBack (p, s, start, stop) =
    if stop > start andalso p (unsafeSub (s, stop - 1)) then skipBack (p, s, start, stop - 1)
    else stop

  fun splitl p (s, i, n) =
    let val m = skip (p, s, i, i + n) in ((s, i, m - i), (s, m, i + n - m)) end
  fun splitr p (s, i, n) =
    let val m = skipBack (p, s, i, i + n) in ((s, i, m - i), (s, m, i + n - m)) end
  fun splitAt ((s, i, n), k) =
    if k < 0 orelse k > n then raise Subscript else ((s, i, k), (s, i + k, n - k))
  fun dropl p part = #2 (splitl p part)
  fun takel p part = #1 (splitl p part)
  fun dropr p part = #1 (splitr p part)
  fun taker p part = #2 (splitr p part)

  fun position needle (s, i, n) =
    case place (needle, s, i, i + n - String.size needle) of
      ~1 => ((s, i, n), (s, i + n, 0))
    | k => ((s, i, k - i), (s, k, i + n - k))
  fun isSubstring needle part =
    String.size needle = 0 orelse not (isEmpty (#2 (position needle part)))

  fun span ((s, i, m), (t, j, n)) =
    if s = t andalso i <= j + n then (s, i, j + n - i) else raise Span

  (* Each character is asked about once, from left to right: the predicate may have a state. *)
  fun tokens isSeparator (s, i, n) =
    let
      val stop = i + n
      fun inside c = not (isSeparator c)
      fun go i =
        let
          val start = skip (isSeparator, s, i, stop)
        in
          if start = stop then []
          else
            let
              val next = skip (inside, s, start + 1, stop)
            in
              (s, start, next - start) :: (if next = stop then [] else go (next + 1))
            end
        end
    in
      go i
    end

  fun fields isSeparator (s, i, n) =
    let
      val stop = i + n
      fun inside c = not (isSeparator c)
      fun go i =
        let
          val next = skip (inside, s, i, stop)
        in
          (s, i, next - i) :: (if next = stop then [] else go (next + 1))
        end
    in
      go i
    end
end

type substring = Substring.substring
