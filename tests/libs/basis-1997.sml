(* basis-1997.mlb: parts as (sequence, start, SOME length), empty strings at ends, the names of that time. *)
fun line s = print (s ^ "\n")
fun ints l = String.concat (List.map (fn i => Int.toString i ^ " ") l)
fun elements v = Vector.foldr op :: [] v

(* sequences *)
val a = Array.tabulate (6, fn i => 10 * i)
val () = line (ints (elements (Array.extract (a, 2, SOME 3))) ^ "| " ^ ints (elements (Array.extract (a, 4, NONE))))
val () = Array.appi (fn (i, x) => print (Int.toString i ^ ":" ^ Int.toString x ^ " ")) (a, 3, SOME 2)
val () = line (Int.toString (Array.foldli (fn (i, x, s) => i + x + s) 0 (a, 1, NONE)))
val () = Array.modifyi (fn (i, x) => x + i) (a, 0, SOME 3)
val () = Array.copy {src = a, si = 0, len = SOME 3, dst = a, di = 3}
val () = line (ints (elements (Array.extract (a, 0, NONE))))
val v = Vector.fromList [1, 2, 3, 4]
val () = Array.copyVec {src = v, si = 1, len = NONE, dst = a, di = 0}
val () = line (ints (elements (Vector.mapi op + (v, 2, NONE))) ^ "| " ^ ints (elements (Vector.extract (v, 1, SOME 1))))
val () = line (ints (Vector.foldri (fn (i, x, l) => i :: x :: l) [] (v, 1, SOME 2)) ^ ints (elements (Array.extract (a, 0, SOME 3))))
val () = (ignore (Array.extract (a, 5, SOME 2)); line "no") handle Subscript => line "Subscript"
val w = Word8Array.fromList (List.map Word8.fromInt [1, 2, 3])
val part : Word8Vector.vector = Word8Array.extract (w, 1, NONE)
val same : Word8Array.Vector.vector = Word8Vector.extract (part, 0, SOME 1)
val () = line (Int.toString (Word8Vector.length part) ^ Int.toString (Word8Array.Vector.length same))
val () = CharVector.appi (fn (i, c) => print (Int.toString i ^ String.str c)) ("abcd", 2, NONE)
val () = line (CharVector.extract (CharVector.mapi (fn (_, c) => Char.toUpper c) ("abc", 0, NONE), 1, NONE))
functor Sum (A : MONO_ARRAY) = struct fun count a = A.foldli (fn (_, _, n) => n + 1) 0 (a, 1, NONE) end
structure S = Sum (RealArray)
val () = line (Int.toString (S.count (RealArray.array (5, 0.0))))

(* texts *)
val () = line (Substring.string (Substring.triml 1 (Substring.all "text")) ^ String.str (String.Char.chr 65))
fun f (s : Substring.String.string) : String.string = s
val () = line (f "the same type")

(* numbers *)
val () = line (case Real.class (0.0 / 0.0) of IEEEReal.NAN IEEEReal.QUIET => "nan" | _ => "other")
val () = line (case Real.toDecimal 12.5 of {kind = IEEEReal.NORMAL, digits, exp, ...} => ints digits ^ Int.toString exp | _ => "other")
val () = line (Real.toString (valOf (Real.fromDecimal {kind = IEEEReal.NORMAL, sign = true, digits = [5], exp = 0})))
val () = line (Int.toString Pack32Big.bytesPerElem)

(* the system *)
val name = OS.FileSys.tmpName ()
val out = TextIO.openOut name
val () = (TextIO.output (out, "one\ntwo"); TextIO.closeOut out)
val inn = TextIO.openIn name
val first = TextIO.inputLine inn
val second = TextIO.inputLine inn
val last = TextIO.inputLine inn
val () = line (String.toString first ^ " " ^ String.toString second ^ " [" ^ last ^ "]")
val stream = TextIO.getInstream (TextIO.openIn name)
val (first, stream) = TextIO.StreamIO.inputLine stream
val (second, stream) = TextIO.StreamIO.inputLine stream
val (last, _) = TextIO.StreamIO.inputLine stream
val () = line (String.toString (first ^ second) ^ " [" ^ last ^ "]")
val () = TextIO.StreamIO.closeIn stream
val () = (TextIO.closeIn inn; OS.FileSys.remove name; OS.FileSys.mkDir name)
val d = OS.FileSys.openDir name
val () = line ("[" ^ OS.FileSys.readDir d ^ "]")
val () = (OS.FileSys.closeDir d; OS.FileSys.rmDir name)
val () = line (OS.Path.mkAbsolute ("a", "/b") ^ " " ^ OS.Path.mkRelative ("/b/c", "/b"))
val {usr, sys, gc} = Timer.checkCPUTimer (Timer.startCPUTimer ())
val () = line (Bool.toString (Time.>= (usr, Time.zeroTime)))
val p : Unix.proc = Unix.execute ("/bin/cat", [])
val (from, to) = Unix.streamsOf p
val () = (TextIO.output (to, "through a pipe\n"); TextIO.closeOut to; print (TextIO.inputLine from))
val () = line (Bool.toString (Unix.reap p = OS.Process.success))
val flags = Posix.FileSys.O.wordTo (SysWord.orb (Posix.FileSys.O.toWord Posix.FileSys.O.append, Posix.FileSys.O.toWord Posix.FileSys.O.trunc))
val () = line (Bool.toString (Posix.FileSys.O.allSet (Posix.FileSys.O.append, flags)))
val () = ignore (Posix.IO.writeVec (Posix.FileSys.stdout, {buf = Byte.stringToBytes "written whole\n", i = 8, sz = NONE}))
val () = (raise IO.TerminatedStream) handle IO.TerminatedStream => line "TerminatedStream"
