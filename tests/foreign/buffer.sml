(* Foreign.Buffer: memory of C with ends that are checked, given back by `free`, by a finalizer, and behind the last use. *)
structure B = Foreign.Buffer
structure P = MLton.Pointer

fun say s = print (s ^ "\n")
fun raises f = (ignore (f ()); "nothing") handle e => exnName e

(* numbers of all sizes, at any byte *)
val b = B.new 32
val () = say (Int.toString (B.size b) ^ " " ^ Int32.toString (B.getInt32 (b, 28)))
val () =
  (B.setInt8 (b, 0, ~1);
   B.setInt16 (b, 1, ~2);
   B.setInt32 (b, 3, ~3);
   B.setInt64 (b, 7, ~4);
   B.setReal64 (b, 15, 0.5);
   B.setReal32 (b, 23, 0.25))
val () =
  say
    (String.concatWith " "
       [Int8.toString (B.getInt8 (b, 0)), Int16.toString (B.getInt16 (b, 1)),
        Int32.toString (B.getInt32 (b, 3)), Int64.toString (B.getInt64 (b, 7)),
        Real.toString (B.getReal64 (b, 15)), Real32.toString (B.getReal32 (b, 23)),
        Word8.toString (B.getWord8 (b, 1)), Word16.toString (B.getWord16 (b, 1)),
        Word32.toString (B.getWord32 (b, 3)), Word64.toString (B.getWord64 (b, 7))])
val () = (B.setWord8 (b, 31, 0wxfe); B.setWord16 (b, 29, 0wxabcd); B.setWord32 (b, 0, 0w7); B.setWord64 (b, 8, 0w9))
val () = (B.setPointer (b, 16, B.address b); say (Bool.toString (B.getPointer (b, 16) = B.address b)))

(* the ends *)
val () =
  app (say o raises)
    [fn () => ignore (B.getWord8 (b, 32)), fn () => ignore (B.getWord8 (b, ~1)),
     fn () => ignore (B.getInt64 (b, 25)), fn () => ignore (B.getInt64 (b, 24)),
     fn () => B.setReal64 (b, 25, 1.0), fn () => ignore (B.getWord8 (b, valOf Int.maxInt)),
     fn () => ignore (B.getInt64 (b, valOf Int.minInt)), fn () => ignore (B.new ~1),
     fn () => ignore (B.string (b, 30, SOME 3)), fn () => ignore (B.string (b, 33, NONE)),
     fn () => ignore (B.string (b, 0, SOME ~1)), fn () => ignore (B.vector (b, valOf Int.maxInt, SOME 1)),
     fn () => ignore (B.text (b, 33)), fn () => B.copyString {src = "abc", dst = b, di = 30},
     fn () => B.copy {src = b, si = 0, dst = b, di = 1, len = 32},
     fn () => B.copy {src = b, si = 0, dst = b, di = 0, len = ~1}]

(* texts and vectors *)
val strlen = _import "strlen" : P.t -> Word64.word;
val () = say (Word64.fmt StringCvt.DEC (B.use (B.fromText "a text") strlen))
val t = B.fromString "one\000two\000"
val () = say (B.text (t, 0) ^ " " ^ B.text (t, 4) ^ " " ^ B.string (t, 4, SOME 2) ^ " " ^ Int.toString (size (B.text (t, 8))))
val () = B.copy {src = t, si = 0, dst = t, di = 2, len = 6}
val () = say (String.toString (B.string (t, 0, NONE)))
val () = B.copy {src = t, si = 2, dst = t, di = 0, len = 6}
val () = say (String.toString (B.string (t, 0, NONE)))
val a = Word8Array.tabulate (8, Word8.fromInt)
val () = B.copyArray {src = Word8ArraySlice.slice (a, 2, SOME 3), dst = t, di = 1}
val () = B.toArray {src = t, si = 0, dst = Word8ArraySlice.slice (a, 4, NONE)}
val () = say (Word8Array.foldr (fn (w, s) => Word8.toString w ^ " " ^ s) "" a)
val () = say (Int.toString (B.size (B.fromVector (Word8Vector.fromList []))) ^ String.toString (B.string (B.new 0, 0, NONE)))

(* copies of many pieces *)
val n = 1000003
val long = CharVector.tabulate (n, fn i => chr (i * i mod 251))
val big = B.fromString long
val () = say (Bool.toString (B.string (big, 0, NONE) = long))
val () = B.copy {src = big, si = 0, dst = big, di = 3, len = n - 3}
val () = say (Bool.toString (B.string (big, 3, NONE) = String.substring (long, 0, n - 3)))
val () = B.copy {src = big, si = 3, dst = big, di = 0, len = n - 3}
val () = say (Bool.toString (B.vector (big, 0, SOME (n - 3)) = Byte.stringToBytes (String.substring (long, 0, n - 3))))
val whole = Word8Array.array (n + 2, 0w0)
val () = B.toArray {src = big, si = 0, dst = Word8ArraySlice.slice (whole, 1, SOME n)}
val other = B.new n
val () = B.copyArray {src = Word8ArraySlice.slice (whole, 1, SOME n), dst = other, di = 0}
val () = say (Bool.toString (B.vector (other, 0, NONE) = B.vector (big, 0, NONE)))
val () = B.copyVec {src = Word8VectorSlice.full (B.vector (big, 0, NONE)), dst = other, di = 0}
val () = say (Bool.toString (B.string (other, 0, NONE) = B.string (big, 0, NONE)))

(* given back: once, behind the last use, and by the collector *)
val returned = ref 0
fun adopted () =
  B.adopt {address = P.add (P.null, 0w4096), size = 16, free = fn _ => returned := !returned + 1}
val c = adopted ()
val () = (B.free c; B.free c; say (Int.toString (!returned)))
val () = app (say o raises) [fn () => ignore (B.getInt8 (c, 0)), fn () => B.use c ignore, fn () => ignore (B.address c)]

val d = adopted ()
val () =
  B.use d (fn _ =>
    (B.use d (fn _ => B.free d);
     say (Int.toString (!returned) ^ " " ^ raises (fn () => B.use d ignore));
     raise Fail "within a use"))
  handle Fail s => say (s ^ ": " ^ Int.toString (!returned))
(* Uses that ended the thread were under way for ever, and the memory was never given back, not by the collector either. *)
val exits = ref 0
fun exit _ =
  let
    val b = B.adopt {address = P.add (P.null, 0w4096), size = 16, free = fn _ => exits := !exits + 1}
  in
    CML.sync (CML.joinEvt (CML.spawn (fn () => B.use b (fn _ => CML.exit ()))));
    B.free b
  end
val () = (List.app exit (List.tabulate (100, fn i => i)); MLton.GC.collect (); say ("behind exits: " ^ Bool.toString (!exits > 90)))
fun many 0 = () | many n = (ignore (adopted ()); many (n - 1))
val () = (many 100; MLton.GC.collect (); say (Bool.toString (!returned > 90)))
val e = adopted ()
val before' = !returned
val () = (MLton.GC.collect (); B.touch e; say (Bool.toString (!returned - before' <= 12)))

(* A program that makes buffers, and hardly anything else, has no more of them than twice what it holds. *)
val living = ref 0
val most = ref 0
fun one _ =
  (living := !living + 1;
   most := Int.max (!most, !living);
   ignore (B.adopt {address = P.null, size = 0x100000, free = fn _ => living := !living - 1}))
val () = (List.app one (List.tabulate (2000, fn i => i)); say (Bool.toString (!most < 200)))
