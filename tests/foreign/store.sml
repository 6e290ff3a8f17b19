(* The two stores of examples/service do the same: in memory, and in a file by SQLite, which is there again when it is opened
   anew. The notes' names are random, so they are shown by their places in the list of all. *)

functor Run (S : sig include STORE val name : string end) =
struct
  fun run store =
    let
      val made = List.map (fn t => S.add (store, {title = t, text = t ^ "'s"})) ["a", "b", "c"]
      fun place id =
        let
          fun go (i, []) = "?"
            | go (i, {id = other, ...} :: rest : S.note list) =
                if other = id then Int.toString i else go (i + 1, rest)
        in
          go (1, made)
        end
      fun shown ({id, title, text} : S.note) = concat [place id, " ", title, " ", text]
      fun say parts = print (concat (S.name :: ": " :: parts) ^ "\n")
      val ids = List.map (fn {id, ...} : S.note => id) made
      val (first, second) = (hd ids, List.nth (ids, 1))
      fun all most = String.concatWith ", " (List.map shown (S.latest (store, most)))
      fun optional note = case note of SOME note => shown note | NONE => "none"
    in
      say ["all: ", all 10];
      say ["two: ", all 2];
      say ["find: ", optional (S.find (store, first)), ", ", optional (S.find (store, "x"))];
      say ["change: ",
           Bool.toString
             (S.change (store, {id = second, title = "it's \"B\"", text = "\226\130\172"})),
           " ",
           Bool.toString (S.change (store, {id = "x", title = "t", text = "t"})),
           " ",
           optional (S.find (store, second))];
      say ["remove: ",
           Bool.toString (S.remove (store, first)),
           " ",
           Bool.toString (S.remove (store, first))];
      say ["left: ", Int.toString (S.count store), " ", all 10];
      (* several threads at a time *)
      Scope.run (fn scope =>
        List.app
          (fn k =>
            ignore (Scope.fork scope (fn () =>
                      List.app
                        (fn i =>
                          (ignore (S.add (store, {title = Int.toString (10 * k + i), text = ""}));
                           CML.yield ()))
                        (List.tabulate (10, fn i => i)))))
          [0, 1, 2, 3]);
      say ["then: ", Int.toString (S.count store)];
      second
    end
end

structure M = Run (open Memory val name = "memory")
val _ = M.run (Memory.new ())

structure F = Run (open SqliteStore val name = "file")
val file = OS.FileSys.tmpName ()
val () =
  let
    val store = SqliteStore.open' file
    val id = F.run store
    val () = SqliteStore.close store
    val store = SqliteStore.open' file
    val {title, ...} = valOf (SqliteStore.find (store, id))
  in
    print (concat ["again: ", Int.toString (SqliteStore.count store), " ", title, "\n"]);
    SqliteStore.close store
  end
val () =
  List.app
    (fn end' => OS.FileSys.remove (file ^ end') handle OS.SysErr _ => ())
    ["", "-wal", "-shm"]
