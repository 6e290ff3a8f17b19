(* A finite real as other languages write it, in the fewest digits, from 12 on, that are read as the same number. *)

structure RealText' : sig
  val toString : real -> string
end =
struct
  fun toString x =
    let
      (* 17 always are enough *)
      fun shortest n =
        let
          val text = Real.fmt (StringCvt.GEN (SOME n)) x
        in
          if n >= 17 orelse Real.== (valOf (Real.fromString text), x) then text
          else shortest (Int.max (n + 1, 15))
        end
    in
      String.map (fn #"~" => #"-" | c => c) (shortest 12)
    end
end
