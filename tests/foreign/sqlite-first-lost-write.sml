(* `first` ends the statement, whose error then is raised: the row was not there. *)
fun say s = print (s ^ "\n")
open Sqlite
infix & **
val db = inMemory ()
val () = execute db "PRAGMA foreign_keys = ON;\
  \CREATE TABLE person (id INTEGER PRIMARY KEY);\
  \CREATE TABLE pet (id INTEGER PRIMARY KEY, owner INTEGER REFERENCES person DEFERRABLE INITIALLY DEFERRED)"
fun try (name, f) =
  let
    val got = (case f () of SOME n => "number " ^ Int.toString n | NONE => "none")
              handle Error {code, message} => concat ["Error ", Int.toString code, " ", message]
    val count = valOf (first (prepare db (none, int) "SELECT count(*) FROM pet") ())
  in
    say (concat [name, ": ", got, "; ", Int.toString count, " rows"])
  end
(* there is no such owner *)
fun sql n = prepare db (int, int) ("INSERT INTO pet VALUES (" ^ Int.toString n ^ ", ?) RETURNING id")
val () = try ("rows", fn () => SOME (hd (rows (sql 1) 7)))
val () = try ("first", fn () => first (sql 2) 7)
val () = try ("fold", fn () => SOME (fold (sql 3) (fn (n, _) => n) 0 7))
