(* Threads that share expressions, and a match whose groups nobody has asked for yet: each gets the same answers. *)
open CML

(* With groups; the second makes many states; the third leaves the automaton at the first byte beyond ASCII. *)
val address = Regex.compile "\\b([a-z]+)@([a-z.]+)|x{1,3}"
val states = Regex.compile "a[ab]{12}b"
val words = Regex.compile "(?u)\\b\\w+\\b"

val text =
  String.concat
    (List.tabulate
       (40, fn i => "ab" ^ Int.toString i ^ " ann@example.org xx abbabaabababab na\195\175ve "))

fun work () =
  (Regex.fold address (fn (m, n) => n + size (String.concat (Regex.groups m))) 0 text,
   Regex.count states text,
   Regex.count words text)

val shared = valOf (Regex.find address text)
fun right () = Regex.groups shared = ["ann", "example.org"]

fun main () =
  let
    val answers : bool chan = channel ()
    val expected = work ()
    fun loop 0 = ()
      | loop n = (send (answers, work () = expected andalso right ()); loop (n - 1))
    val () = List.app (fn _ => ignore (spawn (fn () => loop 5))) (List.tabulate (8, fn i => i))
    fun collect 0 = ()
      | collect n = (if recv answers then () else print "wrong\n"; collect (n - 1))
  in
    collect 40;
    print "done\n"
  end
val () = ignore (RunCML.doit (main, NONE))
