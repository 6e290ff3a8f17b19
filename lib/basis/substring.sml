(* Substring: parts of strings, without a copy. A substring is (string, start, length). *)

signature SUBSTRING =
sig
  type substring
  eqtype char
  eqtype string

  val sub : substring * int -> char
  (* characters *)
  val size : substring -> int
  (* the string that it is part of, the start, the length *)
  val base : substring -> string * int * int
  (* raise Subscript when the part does not lie within the string *)
  val extract : string * int * int option -> substring
  val substring : string * int * int -> substring
  val full : string -> substring
  (* the name of 1997 for full *)
  val all : string -> substring
  val string : substring -> string
  val isEmpty : substring -> bool
  val getc : substring -> (char * substring) option
  val first : substring -> char option
  (* without the first k, the last k characters *)
  val triml : int -> substring -> substring
  val trimr : int -> substring -> substring
  val slice : substring * int * int option -> substring
  val concat : substring list -> string
  val concatWith : string -> substring list -> string
  val explode : substring -> char list
  val isPrefix : string -> substring -> bool
  val isSubstring : string -> substring -> bool
  val isSuffix : string -> substring -> bool
  val compare : substring * substring -> order
  val collate : (char * char -> order) -> substring * substring -> order
  val splitl : (char -> bool) -> substring -> substring * substring
  val splitr : (char -> bool) -> substring -> substring * substring
  val splitAt : substring * int -> substring * substring
  val dropl : (char -> bool) -> substring -> substring
  val dropr : (char -> bool) -> substring -> substring
  val takel : (char -> bool) -> substring -> substring
  val taker : (char -> bool) -> substring -> substring
  (* before and from the first place where the string occurs *)
  val position : string -> substring -> substring * substring
  (* of two adjoining parts of one string; raises Span *)
  val span : substring * substring -> substring
  val translate : (char -> string) -> substring -> string
  val tokens : (char -> bool) -> substring -> substring list
  val fields : (char -> bool) -> substring -> substring list
  val app : (char -> unit) -> substring -> unit
  val foldl : (char * 'a -> 'a) -> 'a -> substring -> 'a
  val foldr : (char * 'a -> 'a) -> 'a -> substring -> 'a
end

structure Substring :> SUBSTRING where type char = char where type string = string =
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
    | extract (s, i, NONE) = if i < 0 orelse i > String.size s then raise Subscript else (s, i, String.size s - i)
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
  fun translate f part = String.concat (List.rev (foldl (fn (c, l) => f c :: l) [] part))

  fun isPrefix s (t, i, n) = String.size s <= n andalso same (s, 0, t, i, String.size s)
  fun isSuffix s (t, i, n) =
    let val m = String.size s in m <= n andalso same (s, 0, t, i + n - m, m) end

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
    if stop > start andalso p (unsafeSub (s, stop - 1)) then skipBack (p, s, start, stop - 1) else stop

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
    let
      val m = String.size needle
      val last = i + n - m
      fun go k =
        if k > last then ((s, i, n), (s, i + n, 0))
        else if same (needle, 0, s, k, m) then ((s, i, k - i), (s, k, i + n - k))
        else go (k + 1)
    in
      go i
    end
  fun isSubstring needle part = String.size needle = 0 orelse not (isEmpty (#2 (position needle part)))

  fun span ((s, i, m), (t, j, n)) =
    if s = t andalso i <= j + n then (s, i, j + n - i) else raise Span

  fun tokens isSeparator (s, i, n) =
    let
      val stop = i + n
      fun inside c = not (isSeparator c)
      fun go i =
        let val start = skip (isSeparator, s, i, stop)
        in
          if start = stop then []
          else
            let val next = skip (inside, s, start, stop)
            in (s, start, next - start) :: go next end
        end
    in
      go i
    end

  fun fields isSeparator (s, i, n) =
    let
      val stop = i + n
      fun inside c = not (isSeparator c)
      fun go i =
        let val next = skip (inside, s, i, stop)
        in
          (s, i, next - i) :: (if next = stop then [] else go (next + 1))
        end
    in
      go i
    end
end

type substring = Substring.substring
