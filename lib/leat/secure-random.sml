(* SecureRandom: random numbers from the system's source, for keys, tokens and names that nobody may guess.

   Each call asks the system (some 0.2 us for 8 bytes). For simulations and tests, which need many numbers, or the same ones
   again, there is Random of SML/NJ's library. *)

signature SECURE_RANDOM =
sig
  (* So many bytes; raises Size for a negative number. *)
  val bytes : int -> Word8Vector.vector
  (* 64 bits. *)
  val word : unit -> word
  (* A number from 0 to below the bound, each as likely as the others; raises Size for a bound below 1. *)
  val below : int -> int
  (* So many of the characters A to Z, a to z, 0 to 9: 22 have more than 128 bits. Raises Size. *)
  val token : int -> string
end

structure SecureRandom :> SECURE_RANDOM =
struct
  fun word () =
    case MLton.Random.seed () of
      SOME w => w
    | NONE => raise Fail "the system gives no random numbers"

  fun bytes n =
    let
      val left = ref 0w0
      fun byte i =
        (left := (if i mod 8 = 0 then word () else Word.>> (!left, 0w8));
         Word8.fromLarge (Word.toLarge (!left)))
    in
      if n < 0 then raise Size else Word8Vector.tabulate (n, byte)
    end

  (* Of the words those above the last multiple of the bound are not taken: they would make small numbers more likely. *)
  fun below bound =
    let
      val b = if bound < 1 then raise Size else Word.fromInt bound
      val past = Word.mod (Word.~ b, b)
      fun go () =
        let
          val w = word ()
        in
          if w < past then go () else Word.toInt (w mod b)
        end
    in
      go ()
    end

  val letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
  fun token n =
    if n < 0 then raise Size
    else CharVector.tabulate (n, fn _ => String.sub (letters, below (size letters)))
end
