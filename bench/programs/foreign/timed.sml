(* How long a call takes, in nanoseconds, printed behind a name; and how many calls the program is asked for. *)
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
