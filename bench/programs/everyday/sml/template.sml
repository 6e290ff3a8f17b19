(* A template of a page: names in braces are replaced by the values of a map, for many records. *)

structure Map = RedBlackMapFn (type ord_key = string val compare = String.compare)

datatype part = Text of string | Name of string

fun parse template =
  let
    fun loop (s, parts) =
      let
        val (text, rest) = Substring.splitl (fn c => c <> #"{") s
        val parts = Text (Substring.string text) :: parts
      in
        if Substring.isEmpty rest then rev parts
        else
          let
            val (name, rest) = Substring.splitl (fn c => c <> #"}") (Substring.triml 1 rest)
          in
            loop (Substring.triml 1 rest, Name (Substring.string name) :: parts)
          end
      end
  in
    loop (Substring.full template, [])
  end

fun escape #"<" = "&lt;"
  | escape #">" = "&gt;"
  | escape #"&" = "&amp;"
  | escape c = str c

fun expand (parts, values) =
  concat (map
            (fn Text s => s
              | Name n => String.translate escape (getOpt (Map.find (values, n), "?")))
            parts)

val page =
  parse
    "<h1>{title}</h1>\n<p>Dear {name}, your order of {count} pieces of {thing} from {date} is on its way.\n\
    \<p>It costs {price}; {missing} is left.\n<footer>{name} &middot; {title}</footer>\n"

fun values i =
  foldl Map.insert' Map.empty [("title", "Order <" ^ Int.toString i ^ ">"),
                               ("name", "Ms. " ^ Int.toString (i mod 97) ^ " & Co"),
                               ("count", Int.toString (i mod 13)),
                               ("thing", if i mod 2 = 0 then "bread" else "salt"),
                               ("date",
                                "2026-11-"
                                ^ StringCvt.padLeft #"0" 2 (Int.toString (1 + i mod 30))),
                               ("price", Real.fmt (StringCvt.FIX (SOME 2)) (real i * 0.37))]

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))

fun loop (i, total, sum) =
  if i = n then (total, sum)
  else
    let
      val text = expand (page, values i)
    in
      loop (i + 1,
            total + size text,
            (sum * 31 + ord (String.sub (text, size text div 2))) mod 1000003)
    end

val (total, sum) = loop (0, 0, 0)
val () = print (concat [Int.toString total, " characters, sum ", Int.toString sum, "\n"])
