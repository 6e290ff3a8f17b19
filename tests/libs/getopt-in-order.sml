(* As in SML/NJ: with ReturnInOrder, what was found wrong in front of "--" becomes an option with "--" and the rest, and
   no other words are left. It was among the other words. *)
fun test words =
  let
    val options = [{short = "a", long = ["all"], desc = GetOpt.NoArg (fn () => "<a>"), help = ""}]
    fun try order = GetOpt.getOpt {argOrder = order, options = options, errFn = ignore} words
    fun show (opts, others) = String.concatWith " " opts ^ " / " ^ String.concatWith " " others
  in
    print (String.concatWith "; "
      (map (show o try) [GetOpt.ReturnInOrder (fn s => "<" ^ s ^ ">"), GetOpt.Permute, GetOpt.RequireOrder]) ^ "\n")
  end
val () =
  app test
    [["-z", "--", "a"], ["-z", "x", "-a", "--no", "y", "--", "-a", "--"], ["-z", "a"], ["--", "a"], ["-a", "--"], ["--"], []]
