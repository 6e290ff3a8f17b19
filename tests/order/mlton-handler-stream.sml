(* A handler goes on with another thread than the one that the signal has interrupted, which may have been writing to a
   stream: the stream is not its own for ever. *)
structure T = MLton.Thread
structure S = MLton.Signal
structure I = MLton.Itimer
val out = TextIO.openOut "/dev/null"
fun work () : unit = (TextIO.output (out, "x"); TextIO.flushOut out; work ())
fun limited ms =
  T.switch (fn here =>
    (S.setHandler (I.signal I.Real, S.Handler.handler (fn _ => T.prepare (here, ())));
     I.set (I.Real, {value = Time.fromMilliseconds ms, interval = Time.zeroTime});
     T.prepare (T.new work, ())))
fun rounds 0 = print "never stuck\n"
  | rounds n =
      (limited (Int.toLarge (1 + n mod 3));
       TextIO.output (out, "y");
       TextIO.flushOut out;
       rounds (n - 1))
val () = rounds 100
