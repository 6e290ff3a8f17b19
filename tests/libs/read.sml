(* Numbers of whole texts. (The page on tables read them by Int.fromString and Real.fromString, which take what a text begins
   with: "1,50" was 1.0, "1O" was 1, and the sum was wrong.) *)
fun line words = print (String.concatWith " " words ^ "\n")
fun show toString text x = String.toString text ^ "=" ^ (case x of SOME x => toString x | NONE => "NONE")
val () =
  line (map (fn t => show Int.toString t (Read.int t))
    ["12", "-3", "~3", "+4", "007", "", " 1", "1 ", "1O", "5x", "0x10", "1.5", "-", "--1", "1\n", "\n1", "4611686018427387904000", "1\000"])
val () =
  line (map (fn t => show Real.toString t (Read.real t))
    ["1.5", "15e-1", "-2", "~2.5", ".5", "1,50", "2;99", "1.5 ", " 1.5", "", "e5", "1e", "1e999", "nan", "inf", "1.", "1.5.2"])
val () = line (map (fn t => show IntInf.toString t (Read.intInf t)) ["4611686018427387904000", "-1", "1x", ""])
val () = line (map (fn t => show Word.toString t (Read.whole (Word.scan StringCvt.HEX) t)) ["ff", "0xff", "fg", "ff "])

fun total text =
  let
    val table = CSV.table (CSV.openString text)
    val price = CSV.columnAs table ("price", Read.real)
    val stock = CSV.columnAs table ("stock", Read.int)
    fun sum s = case CSV.nextRow table of SOME row => sum (s + price row * real (stock row)) | NONE => s
  in
    Real.toString (sum 0.0)
  end
  handle e => exnMessage e
val () =
  app (fn text => line [total text])
    ["name,price,stock\ntea,1.50,10\nmilk,2.25,4\n", "name,price,stock\ntea,\"1,50\",10\n", "name,price,stock\nmilk,2.99,1O\n"]
