# Where address space is limited the reservation of the heap is small, and may be used up before the memory: a program has
# OutOfMemory then, or a report, and all that it keeps is what it was.
within() {
  limit=$1
  shift
  (ulimit -v "$limit"; "$LEAT" run "$@" 2>&1) | grep -v '^  in '
}

# A worker's nursery has a place of 8 MiB here. What had stayed among the blocks and died made one of 16, which reached
# into the second worker's place; when that began it allocated over the first one's objects.
cat > place.sml <<'END'
fun build (0, l) = l | build (n, l) = build (n - 1, n :: l)
fun sum (nil, s) = s | sum (n :: l, s : int) = sum (l, s + n)
val first = build (615000, [])
fun rubbish 0 = () | rubbish n = (ignore (length (build (100, []))); rubbish (n - 1))
val () = rubbish 450
val second = build (490000, [])
val () = Thread.setWorkers 2
val done = ref 0 and noise = ref 0
fun spin (0, s) = s | spin (n, s) = spin (n - 1, (s * 31 + n) mod 1000003)
fun work () = (noise := !noise + spin (20000000, 1); rubbish 400; done := !done + 1)
val _ = List.tabulate (3, fn _ => CML.spawn work)
fun wait 0 = () | wait n = if !done >= 3 then () else wait (n - 1)
val () = wait 2000000000
fun whole (l, n) = sum (l, 0) = n * (n + 1) div 2
val () = print (if whole (second, 490000) andalso whole (first, 615000) then "both are whole\n" else "other lists\n")
END
within 8000000 place.sml

# Free runs of pages whose memory was given back, those whose memory was not, and what was never used were no room for one
# array, though the heap was empty.
cat > empty.sml <<'END'
fun make n = ignore (Array.sub (Array.array (n, 0), 0))
val () = make 8000000
val () = SMLofNJ.Internals.GC.doGC 2
val () = (make 10000000; print "room\n") handle OutOfMemory => print "no room\n"
END
within 1100000 empty.sml

# Every second of many texts dies, so no free run is long. A larger text that survived found none: a panic in the midst of
# a collection, far below the limit.
cat > scattered.sml <<'END'
fun text n = CharVector.tabulate (n, fn _ => #"x")
(* Not all survives, or they would stay where they are. *)
val a = Array.tabulate (7600, fn _ => (ignore (text 9000); text 9000))
val () = Array.modifyi (fn (i, s) => if i mod 2 = 0 then s else "") a
val () = SMLofNJ.Internals.GC.doGC 2
val kept : string list ref = ref []
fun keep 0 = () | keep n = (kept := text 300000 :: !kept; keep (n - 1))
val () = keep 1000 handle OutOfMemory => print "OutOfMemory\n"
val () = print (if length (!kept) > 130 andalso List.all (fn s => size s = 300000) (!kept) then "many\n" else "few\n")
END
within 1100000 scattered.sml

# Whoever handles each OutOfMemory and keeps all got a nursery more each time: ten times the limit, or no address more and
# a panic. Now the program is told, and told again, and ends.
cat > keeps.sml <<'END'
val kept : int list list ref = ref []
val refused = ref 0
fun step () = kept := List.tabulate (1000, fn i => i) :: !kept
fun loop 0 = ()
  | loop n = ((step () handle OutOfMemory => (refused := !refused + 1; if !refused = 1 then print "told\n" else ())); loop (n - 1))
val () = loop 100000
val () = print "no end\n"
END
within 1100000 keeps.sml | sed 's/: .*//'
"$LEAT" run --heap-max=32M keeps.sml 2>&1 | grep -v '^  in ' | sed 's/: .*//'

# Whoever makes room goes on as before.
cat > drops.sml <<'END'
val kept : int list list ref = ref []
val refused = ref 0
fun step () = kept := List.tabulate (10000, fn i => i) :: !kept
fun loop 0 = () | loop n = (step () handle OutOfMemory => (refused := !refused + 1; kept := []); loop (n - 1))
val () = loop 3000
val () = print (if !refused > 10 andalso !refused < 60 then "told at each limit\n" else Int.toString (!refused) ^ "\n")
END
"$LEAT" run --heap-max=32M drops.sml
