(* SQLite: rows that C hands to a function of SML. *)
structure S = Sqlite3
structure P = MLton.Pointer
fun text p = let fun from i = if P.getWord8 (p, i) = 0w0 then [] else Byte.byteToChar (P.getWord8 (p, i)) :: from (i + 1) in implode (from 0) end
val db = ref S.sqlite3.null
val _ = S.open_ (":memory:", db)
fun show (_, count, values, _) =
  (print (String.concatWith " | " (List.tabulate (count, fn i => text (P.getPointer (values, i)))) ^ "\n"); 0)
val row = S.exec_callback.make show
fun run sql =
  let
    val code = S.exec (!db, sql, row, P.null, P.null)
  in
    if code = S.OK then () else print (Int.toString code ^ " " ^ text (S.errmsg (!db)) ^ "\n")
  end
val () = run "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 'one'), (2, 'two')"
val () = run "SELECT a, b FROM t ORDER BY a DESC"
val () = run "SELECT no"
val () = print (Int.toString (S.close (!db)) ^ "\n")
