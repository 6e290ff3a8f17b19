(* A finite real as other languages write it, in the fewest digits that are read as the same number. *)

structure RealText' : sig
  val toString : real -> string
end =
struct
  fun toString x =
    let
      val text = PrimReals'.real_fmt (x, 5, 0)
    in
      if CharVector.exists (fn c => c = #"~") text then
        String.map (fn #"~" => #"-" | c => c) text
      else text
    end
end
