(* A function that computes for a while, mapped over a list: each element by a thread of its own, the results in order. *)

fun parallelMap f l =
  let
    fun start x =
      let
        val result = SyncVar.iVar ()
      in
        ignore (CML.spawn (fn () => SyncVar.iPut (result, f x)));
        result
      end
  in
    map SyncVar.iGet (map start l)
  end

(* How many steps to 1, and the most of all numbers below. *)
fun steps (1, n) = n
  | steps (k, n) = steps (if k mod 2 = 0 then k div 2 else 3 * k + 1, n + 1)

fun most first =
  foldl (fn (i, m) => Int.max (m, steps (first + i, 0))) 0 (List.tabulate (1000, fn i => i))

fun main () =
  let
    val n = valOf (Int.fromString (hd (CommandLine.arguments ())))
    val all = parallelMap most (List.tabulate (n, fn i => 1 + 1000 * i))
    val sum = foldl (fn (m, s) => (s * 31 + m) mod 1000003) 0 all
  in
    print (concat ["the most steps are ",
                   Int.toString (foldl Int.max 0 all),
                   ", sum ",
                   Int.toString sum,
                   "\n"])
  end

val _ = RunCML.doit (main, NONE)
