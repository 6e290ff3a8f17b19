(* The Basis: an infinity has no number after it, and a number that equals the second is what it was. *)
val inf = Real.posInf
val nan = inf - inf
fun show (x, y) = print (Real.fmt StringCvt.EXACT (Real.nextAfter (x, y)) ^ "\n")
val () =
  List.app show
    [(inf, 0.0), (~ inf, 0.0), (inf, ~ inf), (~ inf, inf), (inf, inf), (inf, nan), (nan, inf), (0.0, ~0.0), (~0.0, 0.0),
     (0.0, inf), (~0.0, ~ inf), (Real.maxFinite, inf), (~ Real.maxFinite, ~ inf), (Real.minPos, 0.0), (~ Real.minPos, 1.0),
     (1.0, 1.0), (1.0, 2.0), (1.0, 0.0), (Real.minNormalPos, 0.0)]
fun single x = Real32.fromLarge IEEEReal.TO_NEAREST x
fun show32 (x, y) = print (Real32.fmt StringCvt.EXACT (Real32.nextAfter (single x, single y)) ^ "\n")
val () =
  List.app show32
    [(inf, 0.0), (~ inf, 0.0), (inf, ~ inf), (inf, nan), (nan, inf), (0.0, ~0.0), (~0.0, 0.0), (0.0, inf), (1.0, 2.0),
     (~1.0, inf)]
val () = print (Bool.toString (Real32.isFinite (Real32.nextAfter (Real32.maxFinite, Real32.posInf))) ^ "\n")
(* what is rounded to singles does not change *)
val beyond = 2.0 * Real32.toLarge Real32.maxFinite
val () =
  List.app
    (fn mode => print (Real32.fmt StringCvt.EXACT (Real32.fromLarge mode beyond) ^ " "
                       ^ Real32.fmt StringCvt.EXACT (Real32.fromLarge mode (~ beyond)) ^ "\n"))
    [IEEEReal.TO_NEAREST, IEEEReal.TO_NEGINF, IEEEReal.TO_POSINF, IEEEReal.TO_ZERO]
