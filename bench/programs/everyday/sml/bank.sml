(* A bank: a thread for the accounts gets orders by a mailbox, a hundred clients send them and wait for each answer. *)

datatype order =
    Transfer of {from : int, to : int, amount : int, answer : bool CML.chan}
  | Total of int CML.chan

val accounts = 1000

fun bank orders =
  let
    val balance = Array.array (accounts, 100)
    fun serve () =
      (case Mailbox.recv orders of
         Transfer {from, to, amount, answer} =>
           if Array.sub (balance, from) < amount then CML.send (answer, false)
           else
             (Array.update (balance, from, Array.sub (balance, from) - amount);
              Array.update (balance, to, Array.sub (balance, to) + amount);
              CML.send (answer, true))
       | Total answer => CML.send (answer, Array.foldl op + 0 balance);
       serve ())
  in
    serve ()
  end

fun client (orders, done, number, times) =
  let
    val answer = CML.channel ()
    fun next x = x * 16807 mod 2147483647
    fun loop (0, _, count) = CML.send (done, count)
      | loop (n, x, count) =
          let
            val y = next x
            val z = next y
            val order =
              Transfer
                {from = x mod accounts, to = y mod accounts, amount = z mod 50, answer = answer}
          in
            Mailbox.send (orders, order);
            ignore (CML.recv answer);
            loop (n - 1, z, count + 1)
          end
  in
    loop (times, number + 1, 0)
  end

fun main () =
  let
    val times = valOf (Int.fromString (hd (CommandLine.arguments ())))
    val orders = Mailbox.mailbox ()
    val done = CML.channel ()
    val _ = CML.spawn (fn () => bank orders)
    val () =
      app
        (fn i => ignore (CML.spawn (fn () => client (orders, done, i, times))))
        (List.tabulate (100, fn i => i))
    val count = foldl (fn (_, n) => n + CML.recv done) 0 (List.tabulate (100, ignore))
    val answer = CML.channel ()
  in
    Mailbox.send (orders, Total answer);
    print (Int.toString count ^ " transfers, total " ^ Int.toString (CML.recv answer) ^ "\n")
  end

val _ = RunCML.doit (main, NONE)
