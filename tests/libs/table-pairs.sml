(* A slot whose item was removed has no value. A function read the value, and another asked whether it is one: but a
   function gives a pair by its parts, so what was none was taken apart, and the program crashed at address 1. So a walk
   over a table of pairs or records must stand that its function removes what comes next. *)

(* All items are in one bucket. *)
structure T =
  HashTableFn (struct
    type hash_key = int * string
    fun hashVal (_ : hash_key) = 0w7
    val sameKey = op = : hash_key * hash_key -> bool
  end)

fun one (name, value : int -> 'v, use : 'v -> int) =
  let
    fun key i = (i, Int.toString i)
    val all = [1, 2, 3, 4, 5]
    fun new () =
      let
        val t : 'v T.hash_table = T.mkTable (4, Fail "none")
      in
        List.app (fn i => T.insert t (key i, value i)) all;
        t
      end
    fun others t k = List.app (fn i => if key i <> k then ignore (T.remove t (key i)) handle Fail _ => () else ()) all
    (* What is left, and the sum of it. *)
    fun left t = Int.toString (T.numItems t) ^ "/" ^ Int.toString (T.fold (fn (v, n) => use v + n) 0 t)
    fun after f = let val t = new () in f t; left t end
  in
    print
      (String.concatWith " "
         [name,
          after (fn t => T.filteri (fn (k, _) => (others t k; true)) t),
          after (fn t => T.modifyi (fn (k, v) => (others t k; v)) t),
          after (fn t => T.appi (fn (k, _) => others t k) t),
          after (fn t => ignore (T.mapi (fn (k, v) => (others t k; v)) t)),
          after (fn t => T.insertWith (fn (v, _) => (T.clear t; v)) t (key 3, value 9)),
          (* Slots of removed items, and of none, are walked over when the table grows. *)
          after (fn t =>
            (others t (key 2);
             List.app (fn i => T.insert t ((i, ""), value i)) (List.tabulate (200, fn i => i + 10));
             List.app (fn i => ignore (T.remove t (i, ""))) (List.tabulate (200, fn i => i + 10))))]
       ^ "\n")
  end

val () = one ("pairs", fn i => (i, "x"), #1)
val () = one ("records", fn i => {name = "n", age = i, size = real i}, #age)
val () = one ("reals", fn i => (real i, i), #2)
val () = one ("nested", fn i => ((i, "a"), [i], "b"), fn ((i, _), _, _) => i)
val () = one ("numbers", fn i => i, fn i => i)
val () = one ("strings", Int.toString, fn s => valOf (Int.fromString s))
