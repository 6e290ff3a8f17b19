val () = print "Hello, world\n"
