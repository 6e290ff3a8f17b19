(* UnixEnv: lists of NAME=VALUE, and the process's own. UnixPath: files of a kind looked for in lists of folders. *)

signature UNIX_ENV =
sig
  val getFromEnv : string * string list -> string option
  (* The value of the first binding of that name. *)
  val getValue : {name : string, default : string, env : string list} -> string
  (* Likewise, or the default where there is none. *)
  val removeFromEnv : string * string list -> string list
  (* The list without the bindings of that name. *)
  val addToEnv : string * string list -> string list
  (* The list with the binding "NAME=VALUE", and without others of that name. *)
  val environ : unit -> string list
  (* The process's own list. *)
  val getEnv : string -> string option
  (* The value of a variable of the process's. *)
end

structure UnixEnv : UNIX_ENV =
struct
  fun split binding =
    let
      val (name, value) = Substring.splitl (fn c => c <> #"=") (Substring.full binding)
    in
      (Substring.string name, Substring.string (Substring.triml 1 value))
    end
  fun isOf name binding = #1 (split binding) = name

  fun getFromEnv (name, env) = Option.map (#2 o split) (List.find (isOf name) env)
  fun getValue {name, default, env} = getOpt (getFromEnv (name, env), default)
  fun removeFromEnv (name, env) = List.filter (not o isOf name) env
  fun addToEnv (binding, env) = binding :: removeFromEnv (#1 (split binding), env)
  val environ = Posix.ProcEnv.environ
  val getEnv = OS.Process.getEnv
end

signature UNIX_PATH =
sig
  type path_list = string list

  val getPath : unit -> path_list
  (* PATH; a colon at an end or two together are the current folder. *)

  datatype access_mode = datatype OS.FileSys.access_mode
  datatype file_type = F_REGULAR | F_DIR | F_SYMLINK | F_SOCK | F_CHR | F_BLK

  val findFile : path_list * access_mode list -> string -> string option
  (* The first file of that name in the folders that may be accessed so, of whatever type. An absolute name is looked
     for as it is. *)
  val findFiles : path_list * access_mode list -> string -> string list
  (* Likewise, all of them, in the order of the folders. *)
  val findFileOfType : path_list * file_type * access_mode list -> string -> string option
  (* As findFile, of one type of files. Links are followed, but for F_SYMLINK. *)
  val findFilesOfType : path_list * file_type * access_mode list -> string -> string list
  (* As findFiles, of one type of files. *)
end

structure UnixPath : UNIX_PATH =
struct
  structure ST = Posix.FileSys.ST

  type path_list = string list

  datatype access_mode = datatype OS.FileSys.access_mode
  datatype file_type = F_REGULAR | F_DIR | F_SYMLINK | F_SOCK | F_CHR | F_BLK

  fun getPath () =
    List.map
      (fn "" => "." | dir => dir)
      (String.fields (fn c => c = #":") (getOpt (OS.Process.getEnv "PATH", "")))

  fun isOf F_REGULAR = ST.isReg
    | isOf F_DIR = ST.isDir
    | isOf F_SYMLINK = ST.isLink
    | isOf F_SOCK = ST.isSock
    | isOf F_CHR = ST.isChr
    | isOf F_BLK = ST.isBlk

  fun suits (kind, modes) file =
    OS.FileSys.access (file, modes)
    andalso isOf
      kind
      (if kind = F_SYMLINK then Posix.FileSys.lstat file else Posix.FileSys.stat file)
    handle OS.SysErr _ => false

  fun findFileOfType (dirs, kind, modes) = PathUtil.existsFile (suits (kind, modes)) dirs
  fun findFilesOfType (dirs, kind, modes) = PathUtil.allFiles (suits (kind, modes)) dirs
  fun accessible modes file = OS.FileSys.access (file, modes) handle OS.SysErr _ => false
  fun findFile (dirs, modes) = PathUtil.existsFile (accessible modes) dirs
  fun findFiles (dirs, modes) = PathUtil.allFiles (accessible modes) dirs
end
