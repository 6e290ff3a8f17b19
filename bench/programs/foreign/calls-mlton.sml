(* The same calls from MLton, whose plain calls are those that Leat calls `leaf`. *)
structure P = MLton.Pointer
val direct = _import "same" private : Int64.int -> Int64.int;
val reentrant = _import "apply" private reentrant : P.t * Int64.int -> Int64.int;
val nap = _import "nap" private : Int64.int -> Int64.int;
val export = _export "next" private : (Int64.int -> Int64.int) -> unit;
val address = _address "next" private : P.t;
fun timed (name, count, f) =
  let
    fun loop (0, sum) = sum
      | loop (i, sum) = loop (i - 1, sum + f (Int64.fromInt i))
    val start = Time.now ()
    val sum = loop (count, 0)
    val took = Time.toNanoseconds (Time.- (Time.now (), start))
    val tenths = took * 10 div LargeInt.fromInt count
  in
    if sum = 0 then raise Fail "the sum" else ();
    print (concat [name, " ", LargeInt.toString (tenths div 10), ".", LargeInt.toString (tenths mod 10), "\n"])
  end
val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
val () = export (fn x => x + 1)
val () = timed ("direct", n, direct)
val () = timed ("callback", n div 10, fn x => reentrant (address, x))
val () = timed ("blocked", n div 10000, fn _ => nap 50)
