(* Show: values as text that looks like the expression for them. *)

signature SHOW =
sig
  type 'a show = 'a -> string

  (* `()` *)
  val unit : unit show
  (* `true` or `false` *)
  val bool : bool show
  (* As SML writes it: `~5`. *)
  val int : int show
  (* As SML writes it, of any size. *)
  val intInf : IntInf.int show
  (* As a literal in hexadecimal: `0wxFF`. *)
  val word : word show
  (* As `Real.toString` writes it. *)
  val real : real show
  (* As a literal: `#"a"`. *)
  val char : char show
  (* in quotes; what is UTF-8 stays as it is *)
  val string : string show
  (* `LESS`, `EQUAL` or `GREATER` *)
  val order : order show
  (* In seconds, to the last digit: `1.5s`. *)
  val time : Time.time show
  (* its name and what it carries, as `exnMessage` *)
  val exn : exn show

  (* `NONE`, or `SOME` and the value. *)
  val option : 'a show -> 'a option show
  (* Its elements in brackets. *)
  val list : 'a show -> 'a list show
  (* Its elements in brackets, with `#` before them. *)
  val vector : 'a show -> 'a vector show
  (* Its elements in brackets, with a mark that it is an array. *)
  val array : 'a show -> 'a array show
  (* Both parts in parentheses. *)
  val pair : 'a show * 'b show -> ('a * 'b) show
  (* The three parts in parentheses. *)
  val triple : 'a show * 'b show * 'c show -> ('a * 'b * 'c) show

  (* of a value that is shown as another: `by (Map.listItems, list int)` *)
  val by : ('a -> 'b) * 'b show -> 'a show
  (* of functions and other values that have no text *)
  val opaque : 'a show
end

structure Show :> SHOW =
struct
  type 'a show = 'a -> string

  fun unit () = "()"
  val bool = Bool.toString
  val int = Int.toString
  val intInf = IntInf.toString
  fun word w = "0wx" ^ Word.toString w
  val real = Real.toString
  fun char c = "#\"" ^ Char.toString c ^ "\""

  (* Bytes that follow the first one of a character, by that first one. *)
  fun following c =
    if c < #"\194" then 0
    else if c < #"\224" then 1
    else if c < #"\240" then 2
    else if c < #"\245" then 3
    else 0

  fun string s =
    let
      val size = size s
      fun isNext i =
        i < size andalso String.sub (s, i) >= #"\128" andalso String.sub (s, i) < #"\192"
      fun isCharacter (i, n) =
        n > 0 andalso List.all (fn k => isNext (i + k)) (List.tabulate (n, fn k => k + 1))
      fun go (i, parts) =
        if i = size then concat (rev ("\"" :: parts))
        else
          let
            val c = String.sub (s, i)
            val n = following c
          in
            if isCharacter (i, n) then go (i + n + 1, substring (s, i, n + 1) :: parts)
            else go (i + 1, Char.toString c :: parts)
          end
    in
      go (0, ["\""])
    end

  fun order LESS = "LESS"
    | order EQUAL = "EQUAL"
    | order GREATER = "GREATER"

  fun time t =
    let
      val digits = Substring.dropr (fn c => c = #"0") (Substring.full (Time.fmt 9 t))
    in
      Substring.string (Substring.dropr (fn c => c = #".") digits) ^ "s"
    end
  val exn = exnMessage

  fun option _ NONE = "NONE"
    | option show (SOME x) =
        let
          val text = show x
        in
          if Char.contains text #" " then "SOME (" ^ text ^ ")" else "SOME " ^ text
        end

  fun sequence (left, right) texts = left ^ String.concatWith ", " texts ^ right
  fun list show xs = sequence ("[", "]") (map show xs)
  fun vector show v = sequence ("#[", "]") (map show (Vector.foldr op :: [] v))
  fun array show a = sequence ("array [", "]") (map show (Array.foldr op :: [] a))
  fun pair (showA, showB) (a, b) = sequence ("(", ")") [showA a, showB b]
  fun triple (showA, showB, showC) (a, b, c) = sequence ("(", ")") [showA a, showB b, showC c]
  fun by (f, show) x = show (f x)
  fun opaque _ = "-"
end
