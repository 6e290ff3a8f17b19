# What the function of TraceCML.setUncaughtFn raises is reported, and is no exception for it: it had been called for ever.
cat > p.sml <<'SML'
val () =
  TraceCML.setUncaughtFn (fn (_, e) => (print ("told " ^ exnName e ^ "\n"); raise Fail "in it"))
val () = ignore (CML.spawn (fn () => raise Fail "thread"))
val () = OS.Process.sleep (Time.fromMilliseconds 50)
val () = print "end\n"
SML
"$LEAT" run p.sml 2> errors; echo "exit $?"; grep -c uncaught errors
