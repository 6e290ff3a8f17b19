(* Notes in a file, by SQLite: one connection, which one thread at a time has. *)

structure SqliteStore :> sig
  include STORE
  (* The notes of a file; ":memory:" is none. Raises Sqlite.Error. *)
  val open' : string -> store
  (* Ends it. *)
  val close : store -> unit
end =
struct
  infix & **
  open Sqlite

  type note = {id : string, title : string, text : string}

  val note =
    map
      (fn id & title & text => {id = id, title = title, text = text},
       fn {id, title, text} => id & title & text)
      (text ** text ** text)

  type statements =
    {db : db,
     add : (note, unit) statement,
     find : (string, note) statement,
     latest : (int, note) statement,
     change : ((string, (string, string) product) product, unit) statement,
     remove : (string, unit) statement,
     count : (unit, int) statement}
  type store = statements SyncVar.mvar

  fun open' file =
    let
      val db = openFile (file, {mode = DIRECT, readOnly = false, busy = Time.fromSeconds 5})
    in
      (execute db "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;\
                  \ CREATE TABLE IF NOT EXISTS note (id TEXT PRIMARY KEY, title TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID";
       SyncVar.mVarInit {db = db,
                         add = prepare db (note, none) "INSERT INTO note VALUES (?, ?, ?)",
                         find =
                           prepare db (text, note) "SELECT id, title, text FROM note WHERE id = ?",
                         latest =
                           prepare
                             db
                             (int, note)
                             "SELECT id, title, text FROM note ORDER BY id DESC LIMIT ?",
                         change =
                           prepare
                             db
                             (text ** (text ** text), none)
                             "UPDATE note SET title = ?, text = ? WHERE id = ?",
                         remove = prepare db (text, none) "DELETE FROM note WHERE id = ?",
                         count = prepare db (none, int) "SELECT count(*) FROM note"})
      handle e => (close db; raise e)
    end

  fun having store f =
    let
      val statements = SyncVar.mTake store
      val x = f statements handle e => (SyncVar.mPut (store, statements); raise e)
    in
      SyncVar.mPut (store, statements);
      x
    end

  fun add (store, {title, text}) =
    having store (fn {add, ...} : statements =>
      let
        val note = {id = Uuid.toString (Uuid.v7 ()), title = title, text = text}
      in
        run add note;
        note
      end)
  fun find (store, id) = having store (fn {find, ...} => first find id)
  fun latest (store, most) = having store (fn {latest, ...} => rows latest most)
  fun change (store, {id, title, text}) =
    having store (fn {db, change, ...} => (run change (title & (text & id)); changes db > 0))
  fun remove (store, id) = having store (fn {db, remove, ...} => (run remove id; changes db > 0))
  fun count store = having store (fn {count, ...} => Option.getOpt (first count (), 0))
  fun close store = having store (fn {db, ...} => Sqlite.close db)
end
