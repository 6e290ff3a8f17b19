(* Each function raises at a known line, behind code that is inlined. Reports named functions that had not been called,
   or that had returned: a raise has the place of its own, whatever stands before it, and equal raises of different
   lines stay apart. The cases are threads, for each reports its exception and ends. *)
val n = ref (length (CommandLine.arguments ()))
exception Own of int
fun set f = if !n > 0 then () else n := f ()
fun inner x = if x > 2 then raise Fail "inner" else x + 1
functor Limit (val limit : int) =
struct
  fun check x =
    (if x > limit then print "large" else ();
     if x > 2 then raise Own x else x)
end
structure Small = Limit (val limit = 10)

fun behind () =
  (set (fn () => 0);
   raise Subscript)
fun exits () =
  (OS.Process.atExit (fn () => ());
   raise Div)
fun again () =
  (inner 3 handle e =>
     (OS.Process.sleep Time.zeroTime;
      raise e))
fun known () =
  let
    val e = if !n > 0 then Match else Own 7
  in
    print "";
    raise
      e
  end
fun same x =
  if x > 3 then
    raise Fail "same"
  else if x > 2 then
    (set (fn () => 0);
     raise Fail "same")
  else
    raise Fail "same"
fun loop i =
  if i < 3 then (set (fn () => 0); loop (i + 1))
  else 1 div !n
fun curried x y =
  (inner (x - 10)
   before
     (if y > x then
        raise Own y
      else
        ()))
fun first () =
  1 + (if !n > 0 then
         inner 1
       else
         Small.check 3)
(* `step` becomes blocks of `machine`, and is called at two lines: a report names where the expression with both begins,
   not always the first one. *)
fun machine x =
  let
    fun step i =
      if i > 8 then raise Own i
      else (print ""; step (i + 1))
  in
    1 + (if x > 5 then
           step (x + 1)
         else
           step (x + 2))
  end

val () =
  app (fn f => CML.sync (CML.joinEvt (CML.spawn f)))
    [behind, exits, fn () => print (Int.toString (again ())), known,
     fn () => print (Int.toString (1 + same 3)),
     fn () => print (Int.toString (1 + loop 0)),
     fn () => print (Int.toString (1 + curried 2 3)),
     fn () => print (Int.toString (first ())),
     fn () => print (Int.toString (machine (4 + !n)))]
val () = raise Fail (Int.toString (!n))
