(* Debug: threads and what they wait for, counts, and a profile of the time that a function takes, while it runs. *)

fun say s = print (s ^ "\n")
fun request text =
  valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString (text ^ " HTTP/1.1\r\nHost: x\r\n\r\n")))
fun ask text =
  let val {status, body, ...} = Debug.handler (request text)
  in (status, HTTPBody.all {most = 10000000} body) end
fun has text part = String.isSubstring part text

(* a thread that waits for each of these *)
val channel = CML.channel () : unit CML.chan
val never = SyncVar.iVar () : unit SyncVar.ivar
val busy = Semaphore.semaphore 1
val () = Semaphore.acquire busy
val began = Mailbox.mailbox ()
fun begin (scope, f) = Scope.daemon scope (fn () => (Mailbox.send (began, ()); f ()))
val () = Scope.run (fn scope =>
  (begin (scope, fn () => CML.send (channel, ()));
   begin (scope, fn () => SyncVar.iGet never);
   begin (scope, fn () => Semaphore.acquire busy);
   begin (scope, fn () => OS.Process.sleep (Time.fromSeconds 1000));
   List.app (fn _ => Mailbox.recv began) [1, 2, 3, 4];
   let
     val parts = ["5 threads", "sending on the channel made at", "waiting for ", "waiting for a permit of what was made at",
                  "sleeping", "(main)", "debug.sml:", "scheduler: ", "collector: "]
     (* those that have begun may still be on their way to where they wait *)
     fun ready n =
       let val answer as (_, text) = ask "GET /threads"
       in if n = 0 orelse List.all (has text) parts then answer
          else (OS.Process.sleep (Time.fromMilliseconds 1); ready (n - 1))
       end
     val (status, text) = ready 1000
   in
     say (Int.toString status);
     List.app (fn part => say (part ^ ": " ^ Bool.toString (has text part))) parts
   end))

val counts = #2 (ask "GET /counts")
val () = List.app (fn part => say (part ^ ": " ^ Bool.toString (has counts (part ^ " "))))
  ["threads", "timers", "heap bytes", "open descriptors", "resident bytes"]
val () = say (Bool.toString (has (#2 (ask "GET /collect")) "live bytes"))

(* A thread computes while the profile waits. *)
val stop = ref false
fun burn n = if n = 0 then 0 else (n * 7919 + burn (n - 1)) mod 1000003
fun work () = if !stop then () else (ignore (burn 1000); CML.yield (); work ())
val done = SyncVar.iVar ()
val _ = CML.spawn (fn () => (work (); SyncVar.iPut (done, ())))
fun profiled text =
  let
    val (status, text) = ask text
  in
    say (concat [Int.toString status, " burn: ", Bool.toString (has text "burn")])
  end
val () = profiled "GET /profile?seconds=0.1"
(* again, and two at a time *)
val () = Scope.run (fn scope =>
  let val other = Scope.fork scope (fn () => (CML.yield (); #1 (ask "GET /profile?seconds=0.05")))
  in profiled "GET /profile?seconds=0.1"; say (Int.toString (CML.sync other)) end)
(* Where memory is allocated. *)
fun fill n = if !stop then n else (CML.yield (); fill (length (List.tabulate (2000, fn i => i + n)) mod 7))
val filled = SyncVar.iVar ()
val _ = CML.spawn (fn () => SyncVar.iPut (filled, fill 0))
(* On a machine that is busy with other things little may happen in so short a time: then again. *)
fun until (page, parts) =
  let
    fun go 0 = say ("never: " ^ page)
      | go n =
          let val (status, text) = ask page
          in if status = 200 andalso List.all (has text) parts then say page else go (n - 1) end
  in
    go 100
  end
val () = until ("GET /allocation?seconds=0.05", ["kind alloc", "unit bytes", "fill"])
(* where threads wait *)
fun nap () = if !stop then () else (OS.Process.sleep (Time.fromMilliseconds 1); nap ())
val _ = CML.spawn nap
val () = until ("GET /waiting?seconds=0.02", ["kind wait", "[waits: sleeping]", "nap"])
(* a time line, while waits are measured as well *)
val () =
  Scope.run (fn scope =>
    let
      val other = Scope.fork scope (fn () => #1 (ask "GET /waiting?seconds=0.05"))
    in
      until ("GET /trace?seconds=0.02", ["\"name\":\"worker 0\"", "\"name\":\"sleeping\"", "\"name\":\"running\""]);
      say (Int.toString (CML.sync other))
    end)
val (_, trace) = ask "GET /trace?seconds=0.001"
val () = say (Bool.toString (String.isPrefix "[\n{" trace andalso String.isSuffix "}\n]\n" trace))
val () = (stop := true; SyncVar.iGet done; ignore (SyncVar.iGet filled))
val () = say (Bool.toString (isSome (Scope.within (Time.fromMilliseconds 5) (fn _ => Debug.profile (Time.fromSeconds 1000)))))
val () = say (Bool.toString (isSome (Debug.profile (Time.fromMilliseconds 1))))

val () = List.app (say o Int.toString o #1 o ask)
  ["GET /profile?seconds=0", "GET /profile?seconds=61", "GET /profile?seconds=x", "POST /threads", "GET /other", "HEAD /counts"]
val () = print (#2 (ask "GET /"))
val () = print (#2 (ask "GET /profile?seconds=0"))
