(* A line or a message that a function has taken is not lost when its time limit comes while the thread is on its way to go on.
   With several workers the end of a wait is a letter to the worker of the thread, and until that was read the thread counted
   as blocked, and so as late. Threads compute beside, so that workers have other things to do before they read letters. *)
open CML

val readers = 8
val count = 400

fun compute (over : unit Mailbox.mbox) =
  case Mailbox.recvPoll over of
    SOME () => ()
  | NONE =>
      let fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)
      in ignore (fib 24); compute over end

fun us n = Time.fromMicroseconds (LargeInt.fromInt n)

(* How many of the numbers that are put are taken, by threads each of whose calls has a limit; ~1 ends a reader. *)
fun took (put, take) =
  let
    val taken : int Mailbox.mbox = Mailbox.mailbox ()
    fun reader k =
      let
        fun go (i, n) =
          case Scope.within (us (1 + (i * 7919 + k * 31) mod 300)) (fn _ => take ()) of
            NONE => go (i + 1, n)
          | SOME ~1 => Mailbox.send (taken, n)
          | SOME _ => go (i + 1, n + 1)
      in
        go (0, 0)
      end
    fun puts 0 = ()
      | puts n =
          (put n;
           if n mod 3 = 0 then sync (timeOutEvt (us (n * 7907 mod 400))) else ();
           puts (n - 1))
    val all = List.tabulate (readers, fn k => spawn (fn () => reader k))
  in
    puts count;
    List.app (fn _ => put ~1) all;
    foldl op + 0 (List.map (fn _ => Mailbox.recv taken) all)
  end

val over : unit Mailbox.mbox = Mailbox.mailbox ()
val computing = List.tabulate (6, fn _ => spawn (fn () => compute over))

val mail : int Mailbox.mbox = Mailbox.mailbox ()
val () = print ("of a mailbox " ^ Int.toString (took (fn n => Mailbox.send (mail, n), fn () => Mailbox.recv mail)) ^ "\n")

val {infd, outfd} = Posix.IO.pipe ()
val out =
  TextIO.mkOutstream
    (TextIO.StreamIO.mkOutstream
       (Posix.IO.mkTextWriter {fd = outfd, name = "pipe", initBlkMode = true, appendMode = false, chunkSize = 4096},
        IO.NO_BUF))
val inp =
  TextIO.mkInstream
    (TextIO.StreamIO.mkInstream (Posix.IO.mkTextReader {fd = infd, name = "pipe", initBlkMode = true}, ""))
val () =
  print ("of a stream "
         ^ Int.toString (took (fn n => TextIO.output (out, Int.toString n ^ "\n"),
                               fn () => valOf (Int.fromString (valOf (TextIO.inputLine inp)))))
         ^ "\n")
val () = List.app (fn _ => Mailbox.send (over, ())) computing
