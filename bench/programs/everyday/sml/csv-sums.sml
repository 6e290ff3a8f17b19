(* A table of lines with commas: for each city its lines, the sum of amounts times counts, and the largest amount. *)

structure Table =
  HashTableFn (struct
    type hash_key = string
    val hashVal = HashString.hashString
    val sameKey = op = : string * string -> bool
  end)

val cities : {lines : int, sum : real, most : real} Table.hash_table =
  Table.mkTable (128, Fail "no such city")

fun add line =
  case String.fields (fn c => c = #",") line of
    [_, _, city, amount, count] =>
      let
        val amount = valOf (Real.fromString amount)
        val count = real (valOf (Int.fromString count))
        val {lines, sum, most} = getOpt (Table.find cities city, {lines = 0, sum = 0.0, most = 0.0})
      in
        Table.insert
          cities
          (city, {lines = lines + 1, sum = sum + amount * count, most = Real.max (most, amount)})
      end
  | _ => raise Fail ("a line of other fields: " ^ line)

val input = TextIO.openIn (hd (CommandLine.arguments ()))
val _ = TextIO.inputLine input

fun loop () =
  case TextIO.inputLine input of
    NONE => ()
  | SOME line => (add line; loop ())

val () = loop ()

val money = Real.fmt (StringCvt.FIX (SOME 2))

fun show (city, {lines, sum, most}) =
  print (concat [StringCvt.padRight #" " 8 city,
                 Int.toString lines,
                 " ",
                 money sum,
                 " ",
                 money most,
                 "\n"])

val () =
  app show (ListMergeSort.sort (fn ((a, _), (b, _)) => String.> (a, b)) (Table.listItemsi cities))
