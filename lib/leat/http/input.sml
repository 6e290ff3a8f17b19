(* HTTPInput': what comes from a connection, by lines and by pieces, with a bound and a time for each.

   The bytes come from a function, so what reads them does not know of sockets: it waits where they are not there yet.
   *)

structure HTTPInput' =
struct
  (* it does not come in its time *)
  exception TimeOut
  (* the other side has ended in the middle of something *)
  exception Closed
  (* likewise, and had not said that it would, though it could have: somebody else may have done it (HTTPS) *)
  exception CutOff
  (* What came is no such message, or one that is not taken: the status with which a server answers, and why. *)
  exception Bad of int * string

  fun bad why = raise Bad (400, why)

  val () =
    MLton.Exn.addExnMessager (fn Bad (_, why) => SOME ("HTTP: " ^ why)
                               | TimeOut => SOME "HTTP: it has not come in its time"
                               | Closed => SOME "HTTP: the other side has ended the connection"
                               | CutOff => SOME "HTTP: the connection was cut off"
                               | _ => NONE)

  (* `more` gives some bytes, waits for them until a time of HTTPClock' at most, and gives the empty string at the end;
     `whyLost` says of an exception that it raises why there is no connection any more, if it is one of that kind; `rest`
     is what has come and is not used. *)
  type t =
    {more : Time.time -> string, whyLost : exn -> string option, rest : substring ref}

  fun new (more, whyLost) : t =
    {more = more, whyLost = whyLost, rest = ref (Substring.full "")}

  (* More bytes, when all are used that were there. Where the other side sends faster than they are used, `more` never
     waits, and so a cancelled scope is looked for here. *)
  fun fill ({more, rest, ...} : t, until) =
    (Scope.check ();
     case more until of
       "" => raise Closed
     | part => rest := Substring.full part)

  (* Pieces of a text, the last one first, and one more. Each is longer than the one behind it, so there are few, and a
     text that comes byte by byte is copied log n times. *)
  fun add (piece, []) = [piece]
    | add (piece, pieces as last :: others) =
        if size last <= size piece then add (last ^ piece, others) else piece :: pieces

  (* What is left. Where nothing is, no text that came is kept. *)
  fun leave ({rest, ...} : t, others) =
    rest := (if Substring.isEmpty others then Substring.full "" else others)

  (* The text up to so many line ends in a row, which are taken too: one ends a line, two end a header. A line end is CR
     LF, and neither stands alone: somebody on the way may have taken it for a line end, or not. If the wait for more is
     cancelled, nothing is taken. *)
  fun upTo (input as {rest, ...} : t, ends, until, most, tooLong) =
    let
      val wanted = 2 * ends
      (* `seen` says how many characters of the line ends the text ends with: after a CR that is an odd number. *)
      fun scan (text, i, n, seen) =
        if i = n orelse seen = wanted then (i, seen)
        else
          let
            val c = String.sub (text, i)
          in
            if seen = 1 orelse seen = 3 then
              if c = #"\n" then scan (text, i + 1, n, seen + 1)
              else bad "a carriage return without a newline"
            else if c > #"\r" then within (text, i + 1, n)
            else if c = #"\r" then scan (text, i + 1, n, seen + 1)
            else if c = #"\n" then bad "a newline without a carriage return"
            else within (text, i + 1, n)
          end
      (* within a line, where most characters are *)
      and within (text, i, n) =
        if i < n andalso String.sub (text, i) > #"\r" then within (text, i + 1, n)
        else scan (text, i, n, 0)
      fun all pieces = String.concat (List.rev pieces)
      fun go (pieces, total, seen) =
        let
          val (text, start, n) = Substring.base (!rest)
          val (i, seen) = scan (text, start, start + n, seen)
          val total = total + i - start
          fun isLong pieces = raise tooLong (String.substring (all pieces, 0, most))
        in
          leave (input, Substring.triml (i - start) (!rest));
          if List.null pieces andalso seen = wanted andalso total <= most then
            String.substring (text, start, total - wanted)
          else
            let
              val pieces = add (String.substring (text, start, i - start), pieces)
            in
              if total > most then isLong pieces
              else if seen = wanted then String.substring (all pieces, 0, total - wanted)
              else
                (fill (input, until)
                 handle Closed => raise Closed
                      | e => (rest := Substring.full (all pieces); raise e);
                 go (pieces, total, seen))
            end
        end
    in
      go ([], 0, 0)
    end

  (* The text up to the next line end, which is taken too. *)
  fun line (input, until, most, tooLong) = upTo (input, 1, until, most, fn _ => tooLong)

  (* Some of the bytes that are there, at most so many. *)
  fun take (input as {rest, ...} : t, most) =
    let
      val (piece, others) = Substring.splitAt (!rest, Int.min (most, Substring.size (!rest)))
    in
      leave (input, others);
      Substring.string piece
    end

  (* The same; they are waited for if there are none. *)
  fun some (input as {rest, ...} : t, until, most) =
    (if Substring.isEmpty (!rest) then fill (input, until) else ();
     take (input, most))
end
