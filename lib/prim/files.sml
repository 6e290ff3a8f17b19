(* Files, directories, descriptors. Results below 0 are negated error numbers. Where the result
   is a string, the error number (or 0) is put into element 0 of the int array. Flags, modes and
   other numbers are the system's.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimFiles' =
struct
  (* path * flags (0 read, 1 write new, 2 append) -> fd *)
  val file_open = _prim "file_open" : string * int -> int

  (* fd * char array * start * count -> bytes read *)
  val file_read = _prim "file_read" : int * word8 array * int * int -> int
  val file_read_chars = _prim "file_read" : int * char array * int * int -> int

  (* fd * string or char array * start * count -> bytes written *)
  val file_write = _prim "file_write" : int * word8 array * int * int -> int
  val file_write_chars = _prim "file_write" : int * char array * int * int -> int
  val file_write_string = _prim "file_write" : int * string * int * int -> int
  val file_write_vector = _prim "file_write" : int * word8 vector * int * int -> int
  val file_close = _prim "file_close" : int -> int
  val file_size = _prim "file_size" : int -> int

  (* path * flags * mode -> fd *)
  val file_open_with = _prim "file_open_with" : string * int * int -> int

  (* fd * offset * whence -> position *)
  val file_seek = _prim "file_seek" : int * int * int -> int

  (* path * (1 to follow a link) * int array of 11: dev ino mode nlink uid gid size atime mtime
     ctime (ns) rdev *)
  val file_stat = _prim "file_stat" : string * int * int array -> int
  val fd_stat = _prim "fd_stat" : int * int array -> int
  val fd_truncate = _prim "fd_truncate" : int * int -> int
  val file_access = _prim "file_access" : string * int -> int
  val file_remove = _prim "file_remove" : string -> int
  val file_rename = _prim "file_rename" : string * string -> int
  val file_link = _prim "file_link" : string * string -> int
  val file_symlink = _prim "file_symlink" : string * string -> int

  (* path * int array -> string *)
  val file_readlink = _prim "file_readlink" : string * int array -> string

  (* path * int array -> string: without links, `.` and `..` *)
  val file_realpath = _prim "file_realpath" : string * int array -> string
  val file_chmod = _prim "file_chmod" : string * int -> int
  val fd_chmod = _prim "fd_chmod" : int * int -> int
  val file_chown = _prim "file_chown" : string * int * int -> int
  val fd_chown = _prim "fd_chown" : int * int * int -> int

  (* path * access time * modification time (ns; the least int is the system's own now) *)
  val file_set_times = _prim "file_set_times" : string * int * int -> int
  val file_mkfifo = _prim "file_mkfifo" : string * int -> int

  (* prefix * int array -> path of a new file; element 1 is its fd *)
  val file_temp = _prim "file_temp" : string * int array -> string

  (* mask -> former mask *)
  val file_umask = _prim "file_umask" : int -> int
  val dir_change = _prim "dir_change" : string -> int
  val dir_make = _prim "dir_make" : string * int -> int
  val dir_remove = _prim "dir_remove" : string -> int
  val dir_current = _prim "dir_current" : int array -> string

  (* path -> handle *)
  val dir_open = _prim "dir_open" : string -> int

  (* handle * int array -> name; the empty string at the end *)
  val dir_read = _prim "dir_read" : int * int array -> string
  val dir_rewind = _prim "dir_rewind" : int -> int
  val dir_close = _prim "dir_close" : int -> int
  val fd_dup = _prim "fd_dup" : int -> int
  val fd_dup2 = _prim "fd_dup2" : int * int -> int

  (* int array of 2: the reading and the writing end *)
  val fd_pipe = _prim "fd_pipe" : int array -> int

  (* fd * command * argument -> int *)
  val fd_fcntl = _prim "fd_fcntl" : int * int * int -> int

  (* Its number may go out of the library. *)
  val fd_lend = _prim "fd_lend" : int -> int
  val fd_isatty = _prim "fd_isatty" : int -> int
end
