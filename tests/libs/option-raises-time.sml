(* A wrong command line is to raise Options.Wrong (and `run` ends the program with exit code 2).

   expected:  Wrong --wait: `9999999h` is not a time, such as 10s, 200ms or 5m        found:  raised Time
   lib/leat/options.sml, `time`: the number is looked at before it is multiplied by the unit. *)
infix 4 **
val op ** = Options.**
val options =
  Options.make (fn t => t)
  ** Options.value (Options.time, Time.zeroTime) {name = "wait", short = "", env = "", help = ""}
val () =
  print (Time.toString (#1 (Options.parse (fn _ => NONE) options ["--wait=9999999h"])) ^ "\n")
  handle Options.Wrong why => print ("Wrong " ^ why ^ "\n")
       | e => print ("raised " ^ exnName e ^ "\n")
