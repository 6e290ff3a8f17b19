(* The command line: `--port=N`; 0 is any port that is free. *)

fun port [] = SOME 7000
  | port [word] =
      if String.isPrefix "--port=" word then Int.fromString (String.extract (word, 7, NONE))
      else NONE
  | port _ = NONE

val () =
  case port (CommandLine.arguments ()) of
    NONE =>
      (TextIO.output (TextIO.stdErr, "usage: NAME [--port=N]\n");
       OS.Process.exit OS.Process.failure)
  | SOME port =>
      let
        val listener = Server.listen port
      in
        print ("listening on port " ^ Int.toString (Server.port listener) ^ "\n");
        Server.serve (listener, String.implode o rev o String.explode)
      end
