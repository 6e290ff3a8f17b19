(* A program over what `leat bindgen` makes of kinds.h: each kind of field, parameter and result. *)
structure P = MLton.Pointer
structure K = Kinds
val int = Int.toString
val word = Word.toString
val real = Real.fmt (StringCvt.FIX (SOME 4))
val bool = Bool.toString
fun line (name, parts) = print (name ^ ": " ^ String.concatWith " " parts ^ "\n")
fun text p = let fun from i = if P.getWord8 (p, i) = 0w0 then [] else Byte.byteToChar (P.getWord8 (p, i)) :: from (i + 1) in implode (from 0) end

val () = line ("constants", [String.toString K.VERSION, int K.LIMIT, int K.LOWEST, word K.MASK, word K.HUGE,
  Real.toString K.RATIO, int K.LETTER, word (P.diff (K.STATIC, P.null)), int K.end_, int K.SOME_])
val () = line ("enumerations", [int K.LEFT, int K.RIGHT, int K.BACK, word K.TOP])

val it = K.open_ ("a name", 100)
val buffer = CharArray.array (20, #"-")
val () = line ("opaque", [int (K.name_of (it, buffer, 0w20)), String.toString (CharArray.vector buffer),
  bool (it = K.opaque.null), bool (K.opaque.ofPointer (K.opaque.toPointer it) = it)])
val () = K.close it

structure A = K.all
val all = A.alloc ()
val () = K.fill all
fun show name all =
  line (name, [str (A.get_c all), Int8.toString (A.get_i8 all), Word8.toString (A.get_u8 all), Int16.toString (A.get_i16 all),
    Word16.toString (A.get_u16 all), int (A.get_i32 all), word (A.get_u32 all), int (A.get_i64 all), word (A.get_u64 all),
    Real32.toString (A.get_f32 all), real (A.get_f64 all), bool (A.get_yes all), int (A.get_fixed all), int (A.get_way all),
    word (A.get_wide all), int (A.get_as_int all), word (A.get_low all), int (A.get_high all), bool (A.get_flag all),
    word (A.get_many all)])
val () = show "fields" all
val () = line ("parts", [text (A.get_text all), real (K.point.get_x (A.get_to all)), real (K.point.get_y (A.at_at all)),
  real (K.point.get_x (K.point.nth (A.at_corners all, 1))), Int32.toString (P.getInt32 (A.at_numbers all, 2)),
  word (K.all_choice.get_whole (A.at_choice all)), bool (A.get_next all = all)])
val () = (A.set_c (all, #"d"); A.set_i8 (all, 1); A.set_u8 (all, 0w2); A.set_i16 (all, 3); A.set_u16 (all, 0w4))
val () = (A.set_i32 (all, 5); A.set_u32 (all, 0w6); A.set_i64 (all, 7); A.set_u64 (all, 0w8); A.set_f32 (all, 9.0))
val () = (A.set_f64 (all, 10.0); A.set_yes (all, false); A.set_way (all, 11); A.set_wide (all, 0w12); A.set_as_float (all, 0.0))
val () = (A.set_low (all, 0w2); A.set_high (all, ~1); A.set_flag (all, false); A.set_many (all, 0w99))
val () = show "set" all
val () = (A.set_i32 (all, 0x80000000); print "set\n") handle Overflow => print "Overflow\n"
val () = (A.set_u32 (all, 0wx100000000); print "set\n") handle Overflow => print "Overflow\n"
val () = line ("compare", [int (K.all_compare.call (A.get_compare all) (A.at_numbers all, P.add (A.at_numbers all, 0w4)))])

val () = line ("small", [bool (K.not true), Word8.toString (K.small (0w250, 10)), Real32.toString (K.mean (1.0, 2.0))])
val rest = ref 0
val quotient = K.divide (17, 5, rest)
val () = line ("ref", [int quotient, int (!rest)])
val numbers = Array.fromList [1.0, 2.0, 3.0]
val () = K.square (numbers, 0w3)
val () = line ("elements", [real (K.sum (Vector.fromList [0.5, 1.5], 0w2)), real (Array.sub (numbers, 2)),
  int (K.bytes (Word8Vector.fromList [0w200, 0w100], 0w2))])
val () = line ("turn", [int (K.turn K.LEFT), word (K.same K.TOP)])

val noted = ref []
val note = K.note.make (fn (_, p, last) => noted := (text p ^ bool last) :: !noted)
val () = K.each (2, note, P.null)
val () = line ("callbacks", !noted)
val () = K.note.free note
val twice = K.apply_f.make (fn n => 2 * n)
val () = line ("apply", [int (K.apply (twice, 20))])
val count = P.sub (K.all.toPointer all, 0w0)
val () = K.all.set_i32 (all, 0)
val () = P.setInt32 (count, 0, 0)
val () = K.note.call (K.noter ()) (count, A.get_text all, true)
val () = line ("noter", [Int32.toString (P.getInt32 (count, 0))])
val () = line ("errno", let val (result, code) = K.fail 7 in [int result, int code] end)
val () = line ("array", [int (K.set (P.null, A.at_numbers all))])
val () = line ("variadic", [int (K.total 0)])

val () = K.fill all
val a = K.point.alloc ()
val () = (K.point.set_x (a, 0.5); K.point.set_y (a, 1.5))
val sum = K.add (a, A.at_at all)
val () = line ("by value", [real (K.point.get_x sum), real (K.point.get_y sum)])
val copy = K.copy all
val () = show "copy" copy
(* Callbacks had addresses in place of structures, and were not bound; a result may be what the function was given. *)
val keeps = ref []
val move =
  K.move.make (fn (back, at, times) =>
    (keeps := K.point.get_x at :: !keeps;
     if back then at else (K.point.set_x (at, 10.0); K.point.set_y (at, Real.fromInt times); at)))
val moved = K.moved (move, a)
val () = line ("moved", [real (K.point.get_x moved), real (K.point.get_y moved), real (K.point.get_x a), int (length (!keeps))])
val there = K.move.call (K.mover ()) (true, a, 2)
val () = line ("mover", [real (K.point.get_x there), real (K.point.get_y there)])
val length_ = K.measured_length.make (fn at => K.point.get_x at * K.point.get_x at + K.point.get_y at)
val () = line ("measured", [real (K.measured (length_, 3.0, 0.25)), real (K.measured_length.call length_ a)])
val kept = K.point.alloc ()
val make = K.made_make.make (fn seed => (K.point.set_y (kept, Real.fromInt seed); kept))
val made = K.made make
val () = line ("made", [real (K.point.get_x made), real (K.point.get_y made), bool (made = kept)])
val fails = K.move.make (fn _ => raise Fail "moved")
val () = ignore (K.moved (fails, a)) handle Fail text => line ("fails", [text])
val () = line ("chosen", [int (K.chosen P.null)])
val () = app K.point.free [moved, there, kept, made]
val either = K.either.alloc ()
val () = K.either.set_number (either, 0x6261)
val () = line ("union", [str (Byte.byteToChar (P.getWord8 (K.either.at_letters (K.pick (either, 1)), 0))),
  int (K.either.get_number (K.pick (either, 0)))])
val () = line ("inline", [int (K.inline ("a", true)), int (K.plain_inline 4), int (K.both 1), int (K.other 1)])
val () = line ("renamed", [int (K.new_name 4), int (K.val_ 4), int (K.mod_ (9, 2)), int (K.more ())])
val part = K.part.alloc ()
val () = K.part.set_a (part, 31)
val () = line ("part", [int (K.part_of part)])
val () = line ("variables", [int (K.get_calls ()), real (K.get_half ()), real (K.point.get_y K.at_origin), text K.at_name])
val () = K.set_calls 9
val () = line ("set", [int (K.get_calls ())])
val () = app K.point.free [a, sum]
val () = app A.free [all, copy]
