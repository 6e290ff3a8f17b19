(* With several workers: an account was another thread's; a folder that one thread read and another one closed broke the heap
   of C; masks of signals lost counts. *)
fun all (n, f) =
  List.app (CML.sync o CML.joinEvt) (List.tabulate (n, fn i => CML.spawn (fn () => f i)))
fun times 0 _ = ()
  | times n f = (f (); times (n - 1) f)
fun show (name, isRight) = print (name ^ (if isRight then ": right\n" else ": wrong\n"))

val () =
  let
    open Posix.SysDB
    val isRight = ref true
    fun name 0 = "root"
      | name 1 = "daemon"
      | name 2 = "bin"
      | name _ = "nobody"
    fun look i =
      let
        val name = name (i mod 4)
      in
        if Passwd.name (getpwnam name) = name then () else isRight := false;
        if Passwd.name (getpwuid (Passwd.uid (getpwnam name))) = name then () else isRight := false
      end
      handle OS.SysErr _ => isRight := false
  in
    all (6, fn i => times 300 (fn () => look i));
    show ("accounts", !isRight)
  end

val () =
  let
    val folder = OS.FileSys.tmpName ()
    val () = (OS.FileSys.remove folder; OS.FileSys.mkDir folder)
    val count = 300
    fun file i = OS.Path.concat (folder, "a-name-of-a-file-" ^ Int.toString i)
    val files = List.tabulate (count, file)
    val () = List.app (TextIO.closeOut o TextIO.openOut) files
    (* four read one: each name goes to one of them *)
    fun readers () =
      let
        val stream = OS.FileSys.openDir folder
        val got = SyncVar.mVarInit 0
        fun read () =
          case OS.FileSys.readDir stream of
            NONE => ()
          | SOME name =>
              (if String.isPrefix "a-name-of-a-file-" name then
                 SyncVar.mPut (got, SyncVar.mTake got + 1)
               else ();
               read ())
      in
        all (4, fn _ => read ());
        OS.FileSys.closeDir stream;
        SyncVar.mTake got = count
      end
    (* one reads, two close *)
    fun closers () =
      let
        val stream = OS.FileSys.openDir folder
        fun read () = case OS.FileSys.readDir stream of SOME _ => read () | NONE => ()
      in
        all (3, fn 0 => (read () handle OS.SysErr _ => ()) | _ => OS.FileSys.closeDir stream)
      end
    val isRight = List.all (fn () => readers ()) (List.tabulate (10, fn _ => ()))
  in
    times 200 closers;
    List.app OS.FileSys.remove files;
    OS.FileSys.rmDir folder;
    show ("folders", isRight)
  end

val () =
  let
    open MLton.Signal
    val signals = [Posix.Signal.usr1, Posix.Signal.usr2, Posix.Signal.hup, Posix.Signal.alrm]
    val isRight = ref true
    fun change i =
      let
        val signal = List.nth (signals, i)
        fun isBlocked () = Mask.isMember (Mask.getBlocked (), signal)
      in
        Mask.block (Mask.some [signal]);
        if isBlocked () then () else isRight := false;
        Mask.unblock (Mask.some [signal]);
        if isBlocked () then isRight := false else ()
      end
  in
    all (4, fn i => times 5000 (fn () => change i));
    show ("masks", !isRight)
  end
