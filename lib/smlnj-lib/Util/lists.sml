(* ListXProd: every pair of two lists; ListFormat: lists as text and back; Iterate: loops as functions. *)

signature LIST_XPROD =
sig
  (* The pairs come with the first list as the outer loop. *)

  val app : (('a * 'b) -> unit) -> ('a list * 'b list) -> unit
  (* Calls the function on each pair of an element of the first list and one of the second; the first is the outer
     loop. *)
  val map : (('a * 'b) -> 'c) -> ('a list * 'b list) -> 'c list
  (* What the function gives for each such pair. *)
  val fold : (('a * 'b * 'c) -> 'c) -> 'c -> ('a list * 'b list) -> 'c
  (* Calls the function with the two of each such pair and the result so far. *)

  (* Older names; note the order of foldX's arguments *)

  val appX : (('a * 'b) -> unit) -> ('a list * 'b list) -> unit
  (* The older name of `app`. *)
  val mapX : (('a * 'b) -> 'c) -> ('a list * 'b list) -> 'c list
  (* The older name of `map`. *)
  val foldX : (('a * 'b * 'c) -> 'c) -> ('a list * 'b list) -> 'c -> 'c
  (* The older name of `fold`, with the lists before the first result. *)
end

structure ListXProd : LIST_XPROD =
struct
  fun fold f init (xs, ys) =
    List.foldl (fn (x, acc) => List.foldl (fn (y, acc) => f (x, y, acc)) acc ys) init xs
  fun app f = fold (fn (x, y, ()) => f (x, y)) ()
  fun map f lists = rev (fold (fn (x, y, l) => f (x, y) :: l) [] lists)

  val appX = app
  val mapX = map
  fun foldX f lists init = fold f init lists
end

signature LIST_FORMAT =
sig
  val fmt : {init : string, sep : string, final : string, fmt : 'a -> string} -> 'a list -> string
  (* init, then the items with sep between them, then final. *)
  val listToString : ('a -> string) -> 'a list -> string
  (* As SML writes lists. *)
  val scan :
    {init : string,
     sep : string,
     final : string,
     scan : (char, 'b) StringCvt.reader -> ('a, 'b) StringCvt.reader}
    -> (char, 'b) StringCvt.reader
    -> ('a list, 'b) StringCvt.reader
  (* The inverse; white space may stand before each piece. *)
end

structure ListFormat : LIST_FORMAT =
struct
  fun fmt {init, sep, final, fmt} l =
    String.concat [init, String.concatWith sep (List.map fmt l), final]

  fun listToString item = fmt {init = "[", sep = ",", final = "]", fmt = item}

  fun scan {init, sep, final, scan} getc =
    let
      val skip = StringCvt.skipWS getc
      (* A piece of punctuation, with white space before it. *)
      fun expect "" s = SOME (skip s)
        | expect text s =
            let
              fun from (i, s) =
                if i = size text then SOME s
                else
                  case getc s of
                    SOME (c, s) => if c = String.sub (text, i) then from (i + 1, s) else NONE
                  | NONE => NONE
              (* White space that the piece begins with is its own. *)
              val s = if Char.isSpace (String.sub (text, 0)) then s else skip s
            in
              from (0, s)
            end
      val item = scan getc
      (* Behind an item: the end, or a separator and an item. An empty final part comes where nothing else does. *)
      fun more (s, acc) =
        let
          fun next () =
            case expect sep s of
              NONE => NONE
            | SOME s => (case item (skip s) of SOME (x, s) => SOME (x, s) | NONE => NONE)
          fun last () =
            Option.map (fn s => (rev acc, s)) (if final = "" then SOME s else expect final s)
        in
          if final = "" then (case next () of SOME (x, s) => more (s, x :: acc) | NONE => last ())
          else
            case last () of
              NONE => (case next () of SOME (x, s) => more (s, x :: acc) | NONE => NONE)
            | found => found
        end
    in
      fn s =>
        case expect init s of
          NONE => NONE
        | SOME s =>
            (case if final = "" then NONE else expect final s of
               SOME s => SOME ([], s)
             | NONE =>
                 (case item (skip s) of
                    SOME (x, s) => more (s, [x])
                  | NONE => if final = "" then SOME ([], s) else NONE))
    end
end

signature ITERATE =
sig
  val iterate : ('a -> 'a) -> int -> 'a -> 'a
  (* iterate f n x: f of f of ... of x, n times. *)
  val repeat : (int * 'a -> 'a) -> int -> 'a -> 'a
  (* Likewise, with the number of the turn, from 0. *)
  val for : (int * 'a -> 'a) -> (int * int * int) -> 'a -> 'a
  (* for f (start, stop, step): for start, start + step and so on, up to stop or down to it. *)
  (* All raise Fail for a count below 0 or a step that leads away from the end. *)
end

structure Iterate : ITERATE =
struct
  fun bad func = LibBase.failure {module = "Iterate", func = func, msg = "bad argument"}

  fun iterate f n x =
    let
      fun turn (0, x) = x
        | turn (n, x) = turn (n - 1, f x)
    in
      if n < 0 then bad "iterate" else turn (n, x)
    end

  fun repeat f n x =
    let
      fun turn (i, x) = if i = n then x else turn (i + 1, f (i, x))
    in
      if n < 0 then bad "repeat" else turn (0, x)
    end

  fun for f (start, stop, step) =
    let
      fun up (i, x) = if i > stop then x else up (i + step, f (i, x))
      fun down (i, x) = if i < stop then x else down (i + step, f (i, x))
    in
      if step > 0 andalso start <= stop then fn x => up (start, x)
      else if step < 0 andalso start >= stop then fn x => down (start, x)
      else if start = stop then fn x => f (start, x)
      else bad "for"
    end
end
