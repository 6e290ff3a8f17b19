(* JSONPrinter.print prints nothing of a value with a text that is not UTF-8: it wrote a part. *)

val () =
  (JSONPrinter.print (TextIO.stdOut, JSON.ARRAY [JSON.INT 1, JSON.STRING "caf\233", JSON.INT 2]); print "no exception\n")
  handle Fail why => print ("Fail: " ^ why ^ "\n")
       | e => print ("\nnot Fail, but " ^ exnName e ^ "; `[1` was written\n")
