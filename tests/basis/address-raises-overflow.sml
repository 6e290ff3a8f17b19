(* Net6HostDB.fromString gives NONE for what is no address, or reads what it begins with; here it raised Overflow, and so does
   HTTPClient for the address http://[::99999999999999999999]/, which may come from a redirection, where HTTPClient.Address is said.

   expected:  ::9999          found: uncaught exception Overflow
   lib/basis/inet6.sml, scanDotted: Int.scan of as many digits as there are. *)
val () =
  print (case Net6HostDB.fromString "::99999999999999999999" of
           SOME a => Net6HostDB.toString a ^ "\n"
         | NONE => "NONE\n")
