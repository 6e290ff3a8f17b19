(* What a blob's writer has written is committed when it is closed, and that may fail. *)
fun say s = print (s ^ "\n")
open Sqlite
infix & **
val folder = OS.FileSys.tmpName ()
val () = OS.FileSys.remove folder
val file = folder ^ ".db"
fun opened () = openFile (file, {mode = DIRECT, readOnly = false, busy = Time.zeroTime})
val db = opened ()
val () = execute db "PRAGMA journal_mode = DELETE; CREATE TABLE t (b BLOB); INSERT INTO t VALUES (x'00000000')"
val other = openFile (file, {mode = DIRECT, readOnly = true, busy = Time.zeroTime})
(* another connection reads *)
val () = execute other "BEGIN"
val read = prepare other (none, blob) "SELECT b FROM t"
fun shown v = String.toString (Byte.bytesToString v)
val () = say (shown (hd (rows read ())))
val (write, closeWriter) =
  case writeBlob db {table = "t", column = "b", row = 1} of
    BinPrimIO.WR {writeVec = SOME write, close, ...} => (write, close)
  | _ => raise Fail "a writer that does not write"
val () =
  (ignore (write (Word8VectorSlice.full (Byte.stringToBytes "abcd"))); closeWriter (); say "written")
  handle Error {code, message} => say (concat ["refused: ", Int.toString code, " ", message])
val () = execute other "COMMIT"
val () = say (shown (hd (rows (prepare db (none, blob) "SELECT b FROM t") ())))
val () = (close db; close other; OS.FileSys.remove file)
