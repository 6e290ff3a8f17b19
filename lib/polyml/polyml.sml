(* What Poly/ML's users reach for by the structure PolyML: the text of any value.

   The compiler knows each type where it is used, inside of a polymorphic function too, so a value is printed by its
   type, never as "?". *)

signature POLYML =
sig
  (* the value as an expression of SML: `[SOME 1, NONE]`; functions are `fn`. A value of an abstract type is shown as
     what it stands for; a record, where its labels are not those of a constructor's declaration, as a tuple. What is
     deeper than print_depth is `...` *)
  val makestring : 'a -> string
  (* prints makestring and the end of a line; gives the value back *)
  val print : 'a -> 'a
  (* how deep makestring and print go, at first 100; each element of a list is one deeper than the one before *)
  val print_depth : int -> unit
  (* the memory that a value takes, in words of 8 bytes, with all that it reaches *)
  val objSize : 'a -> int
  (* collects all garbage *)
  val fullGC : unit -> unit
end

structure PolyML : POLYML =
struct
  open Shape'

  val depth = ref 100
  fun print_depth n = depth := n

  fun symbolic name =
    name <> ""
    andalso not (Char.isAlpha (String.sub (name, 0)))
    andalso String.sub (name, 0) <> #"'"

  (* pieces of the text, the last one first. `tight`: in brackets, unless it is one word. *)
  fun text (tight, d, shape, out) =
    if d <= 0 then "..." :: out
    else
      case shape of
        Other s => s :: out
      | Constant "nil" => "[]" :: out
      | Constant s => s :: out
      | Tuple (_, n, part) => ")" :: parts (d, n, part, fn _ => "", "(" :: out)
      | Record (labels, n, part) =>
          let
            val labels = Vector.fromList (String.fields (fn c => c = #",") labels)
          in
            "}" :: parts (d, n, part, fn i => Vector.sub (labels, i) ^ " = ", "{" :: out)
          end
      | Con ("::", _, part) => "]" :: list (d, part 0, "[" :: out)
      | Con (name, _, part) => applied (tight, d, name, part 0, out)
      | Ref (_, _, part) => applied (tight, d, "ref", part 0, out)
      | Array (_, n, part) => sequence (tight, d, n, part, out)
      | Vector (_, n, part) => sequence (tight, d, n, part, out)
      | Int i => Int.toString i :: out
      | Int8 i => Int8.toString i :: out
      | Int16 i => Int16.toString i :: out
      | Int32 i => Int32.toString i :: out
      | Large i => IntInf.toString i :: out
      | Word w => Word.toString w :: "0wx" :: out
      | Word8 w => Word8.toString w :: "0wx" :: out
      | Word16 w => Word16.toString w :: "0wx" :: out
      | Word32 w => Word32.toString w :: "0wx" :: out
      | Char c => "\"" :: Char.toString c :: "#\"" :: out
      | String s => "\"" :: String.toString s :: "\"" :: out
      | Real r => Real.toString r :: out
      | Real32 r => Real32.fmt (StringCvt.GEN (SOME 7)) r :: out
      | Exn e => exnMessage e :: out

  and applied (tight, d, name, arg, out) =
    case (symbolic name, arg) of
      (true, Tuple (_, 2, part)) =>
        bracketed (tight,
                   out,
                   fn out =>
                     text
                       (true, d - 1, part 1, " " :: name :: " " :: text (true, d - 1, part 0, out)))
    | (_, arg) => bracketed (tight, out, fn out => text (true, d - 1, arg, " " :: name :: out))

  and bracketed (false, out, f) = f out
    | bracketed (true, out, f) = ")" :: f ("(" :: out)

  and sequence (tight, d, n, part, out) =
    bracketed (tight, out, fn out => "]" :: parts (d, n, part, fn _ => "", "fromList [" :: out))

  and parts (d, n, part, label, out) =
    let
      fun go (i, out) =
        if i = n then out
        else
          let
            val out = if i = 0 then out else ", " :: out
          in
            if i >= d then "..." :: out
            else go (i + 1, text (false, d - 1, part i, label i :: out))
          end
    in
      go (0, out)
    end

  and list (d, Tuple (_, _, part), out) =
        if d <= 1 then "..." :: out
        else
          let
            val out = text (false, d - 1, part 0, out)
          in
            case part 1 of
              Con (_, _, rest) => list (d - 1, rest 0, ", " :: out)
            | _ => out
          end
    | list (_, _, out) = out

  fun makestring x = String.concat (rev (text (false, !depth, describe x, [])))
  fun print x = (TextIO.print (makestring x ^ "\n"); x)

  fun objSize x = IntInf.toInt (MLton.size x) div 8
  val fullGC = MLton.GC.collect
end
