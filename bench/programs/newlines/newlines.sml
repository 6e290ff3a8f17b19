(* A2: counting the newlines of 10,000 lines of 60 characters in several ways. usage: newlines FILE
   Prints the best of twenty in nanoseconds. `Fast.sub` is the system's way to a character without a check. *)

structure Main =
struct
  structure S = String
  structure SS = Substring

  (* what takes less than the clock can tell is done many times *)
  fun best (name, times, f) =
    let
      fun repeat 0 = ()
        | repeat n = (ignore (f ()); repeat (n - 1))
      fun go (0, least) = least
        | go (n, least) =
            let
              val timer = Timer.startRealTimer ()
              val () = repeat times
            in
              go (n - 1, Real.min (least, Time.toReal (Timer.checkRealTimer timer) * 1E9 / real times))
            end
    in
      print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 1)) (go (20, Real.posInf)) ^ "\n")
    end

  fun readAll file =
    let
      val stream = TextIO.openIn file
      val text = TextIO.inputAll stream
    in
      TextIO.closeIn stream;
      text
    end

  fun count_slowix text =
    let
      val len = size text
      fun loop 0 l = l
        | loop n l = loop (n - 1) (if S.sub (text, n) = #"\n" then l + 1 else l)
    in
      loop (len - 1) 0
    end

  fun count_fastix text =
    let
      val len = size text
      fun loop 0 l = l
        | loop n l = loop (n - 1) (if Fast.sub (text, n) = #"\n" then l + 1 else l)
    in
      loop (len - 1) 0
    end

  fun count_tokens text = length (SS.tokens (fn c => c = #"\n") (SS.full text))

  fun count_cntrl text = length (SS.tokens Char.isCntrl (SS.full text))

  fun count_getc text =
    let
      fun loop ss n =
        case SS.getc ss of
          NONE => n
        | SOME (c, rest) => loop rest (if c = #"\n" then n + 1 else n)
    in
      loop (SS.full text) 0
    end

  fun main () =
    let
      val file = List.last (CommandLine.arguments ())
      val text = readAll file
      fun check (name, f) =
        if f text = 10000 then best (name, 1, fn () => f text)
        else raise Fail (name ^ " counts " ^ Int.toString (f text))
    in
      best ("readall", 1, fn () => readAll file);
      best ("length", 1000, fn () => size text);
      check ("slowix", count_slowix);
      check ("fastix", count_fastix);
      check ("tokens", count_tokens);
      check ("cntrl", count_cntrl);
      check ("getc", count_getc)
    end
end
