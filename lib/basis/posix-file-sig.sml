(* The signatures of Posix for files: FileSys finds, makes and describes them by their names, IO reads and writes by
   descriptors. Calls that fail raise OS.SysErr. *)

signature POSIX_FILE_SYS =
sig
  eqtype uid
  eqtype gid
  eqtype file_desc
  (* The descriptor's number. *)
  val fdToWord : file_desc -> SysWord.word
  (* The descriptor with that number. *)
  val wordToFD : SysWord.word -> file_desc
  (* The descriptor, for `OS.IO`. *)
  val fdToIOD : file_desc -> OS.IO.iodesc
  (* SOME of a descriptor of `OS.IO`, or NONE where that is none. *)
  val iodToFD : OS.IO.iodesc -> file_desc option

  (* directories; readdir gives NONE at the end, and leaves out "." and ".." *)
  type dirstream
  (* Opens a directory to read its names. Raises OS.SysErr when the system refuses. *)
  val opendir : string -> dirstream
  (* SOME of the next name, without "." and "..", or NONE at the end. *)
  val readdir : dirstream -> string option
  (* Goes back to the first name. *)
  val rewinddir : dirstream -> unit
  (* Closes the stream of names. *)
  val closedir : dirstream -> unit
  (* Makes the directory the current one. Raises OS.SysErr when the system refuses. *)
  val chdir : string -> unit
  (* The path of the current directory. *)
  val getcwd : unit -> string

  (* Descriptor 0: standard input. *)
  val stdin : file_desc
  (* Descriptor 1: standard output. *)
  val stdout : file_desc
  (* Descriptor 2: standard error. *)
  val stderr : file_desc

  (* permissions *)
  structure S :
  sig
    eqtype mode
    include BIT_FLAGS where type flags = mode
    (* The owner may read, write and execute it. *)
    val irwxu : mode
    (* The owner may read it. *)
    val irusr : mode
    (* The owner may write it. *)
    val iwusr : mode
    (* The owner may execute it. *)
    val ixusr : mode
    (* The group may read, write and execute it. *)
    val irwxg : mode
    (* The group may read it. *)
    val irgrp : mode
    (* The group may write it. *)
    val iwgrp : mode
    (* The group may execute it. *)
    val ixgrp : mode
    (* Others may read, write and execute it. *)
    val irwxo : mode
    (* Others may read it. *)
    val iroth : mode
    (* Others may write it. *)
    val iwoth : mode
    (* Others may execute it. *)
    val ixoth : mode
    (* A program runs with the rights of its owner. *)
    val isuid : mode
    (* A program runs with the rights of its group. *)
    val isgid : mode
  end

  structure O :
  sig
    include BIT_FLAGS
    (* writes at the end *)
    val append : flags
    (* fails where the file exists *)
    val excl : flags
    (* does not become the controlling terminal *)
    val noctty : flags
    (* fails with EAGAIN instead of waiting *)
    val nonblock : flags
    (* a write returns when it is on the disk *)
    val sync : flags
    (* empties the file *)
    val trunc : flags
  end

  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR
  (* Opens a file that is there. Raises OS.SysErr when the system refuses. A program that is started by `exec` has the
     descriptor, too, unless `IO.setfd` says otherwise; so it is with `createf`, `creat` and `IO.pipe`. *)
  val openf : string * open_mode * O.flags -> file_desc
  (* Opens a file; makes it where it is not there, with these permissions without those of `umask`. *)
  val createf : string * open_mode * O.flags * S.mode -> file_desc
  (* Opens a file to write to, emptied; makes it where it is not there. *)
  val creat : string * S.mode -> file_desc
  (* Sets the permissions that new files do not get; gives those before. *)
  val umask : S.mode -> S.mode
  (* Gives a file a further name. Raises OS.SysErr when the new one is taken. *)
  val link : {old : string, new : string} -> unit
  (* Makes a directory with these permissions without those of `umask`. *)
  val mkdir : string * S.mode -> unit
  (* Makes a named pipe with these permissions without those of `umask`. *)
  val mkfifo : string * S.mode -> unit
  (* Removes a name of a file; without names and descriptors it is gone. *)
  val unlink : string -> unit
  (* Removes an empty directory. *)
  val rmdir : string -> unit
  (* Gives a file another name; what had that name is replaced. *)
  val rename : {old : string, new : string} -> unit
  (* Makes a symbolic link `new` that leads to `old`. *)
  val symlink : {old : string, new : string} -> unit
  (* What a symbolic link leads to. Raises OS.SysErr when it is none. *)
  val readlink : string -> string

  (* device and number within it name a file *)
  eqtype dev
  (* The device with that number. *)
  val wordToDev : SysWord.word -> dev
  (* The device's number. *)
  val devToWord : dev -> SysWord.word
  eqtype ino
  (* The file with that number on its device. *)
  val wordToIno : SysWord.word -> ino
  (* The file's number. *)
  val inoToWord : ino -> SysWord.word

  (* what the system knows of a file *)
  structure ST :
  sig
    type stat
    (* Whether it is a directory. *)
    val isDir : stat -> bool
    (* Whether it is a device of characters. *)
    val isChr : stat -> bool
    (* Whether it is a device of blocks. *)
    val isBlk : stat -> bool
    (* Whether it is a file with contents. *)
    val isReg : stat -> bool
    (* Whether it is a pipe. *)
    val isFIFO : stat -> bool
    (* Whether it is a symbolic link. *)
    val isLink : stat -> bool
    (* Whether it is a socket. *)
    val isSock : stat -> bool
    (* Its permissions. *)
    val mode : stat -> S.mode
    (* Its number on its device. *)
    val ino : stat -> ino
    (* Its device. *)
    val dev : stat -> dev
    (* How many names it has. *)
    val nlink : stat -> int
    (* Its owner. *)
    val uid : stat -> uid
    (* Its group. *)
    val gid : stat -> gid
    (* How many bytes it has. *)
    val size : stat -> Position.int
    (* When it was read last. *)
    val atime : stat -> Time.time
    (* When its contents were changed last. *)
    val mtime : stat -> Time.time
    (* When what is known of it was changed last. *)
    val ctime : stat -> Time.time
  end
  (* What the system knows of the file at the path. Raises OS.SysErr when there is none. *)
  val stat : string -> ST.stat
  (* As `stat`; of a symbolic link itself. *)
  val lstat : string -> ST.stat
  (* As `stat`, of what the descriptor is open on. *)
  val fstat : file_desc -> ST.stat

  datatype access_mode = A_READ | A_WRITE | A_EXEC
  (* Whether this user may do all of these with the file; without modes, whether it is there. *)
  val access : string * access_mode list -> bool
  (* Sets a file's permissions. *)
  val chmod : string * S.mode -> unit
  (* Sets the permissions of what the descriptor is open on. *)
  val fchmod : file_desc * S.mode -> unit
  (* Sets a file's owner and group. Raises OS.SysErr when that is not permitted. *)
  val chown : string * uid * gid -> unit
  (* Sets owner and group of what the descriptor is open on. *)
  val fchown : file_desc * uid * gid -> unit
  (* Sets when a file was read and changed last; NONE is now. *)
  val utime : string * {actime : Time.time, modtime : Time.time} option -> unit
  (* Makes the file so long: what is behind goes, what is missing is zeros. *)
  val ftruncate : file_desc * Position.int -> unit
  (* SOME of a limit of the file, by POSIX's name without "_PC_"; NONE where there is no limit. *)
  val pathconf : string * string -> SysWord.word option
  (* As `pathconf`, of what the descriptor is open on. *)
  val fpathconf : file_desc * string -> SysWord.word option
end

signature POSIX_IO =
sig
  eqtype file_desc
  eqtype pid

  (* Makes a pipe: the end to read from, the end to write to. A child that was forked has both ends, too: it closes the
     one that it does not use, and all the others do, else the reader sees no end. *)
  val pipe : unit -> {infd : file_desc, outfd : file_desc}
  (* A new descriptor of what this one is open on. *)
  val dup : file_desc -> file_desc
  (* The descriptor `new` becomes one of what `old` is open on. *)
  val dup2 : {old : file_desc, new : file_desc} -> unit
  (* Closes the descriptor. Raises OS.SysErr when it is not open. *)
  val close : file_desc -> unit
  (* Reads n bytes at most, and gives them; none at the end. Parks the thread until there is something. A descriptor
     that the program made non-blocking raises OS.SysErr with `again` instead. *)
  val readVec : file_desc * int -> Word8Vector.vector
  (* Reads into the part of an array, and gives how many bytes, 0 at the end. Parks the thread as `readVec`. *)
  val readArr : file_desc * Word8ArraySlice.slice -> int
  (* Writes bytes, and gives how many the system took. Parks the thread until there is room, as `readVec`. *)
  val writeVec : file_desc * Word8VectorSlice.slice -> int
  (* Writes bytes of an array, and gives how many the system took. Parks the thread until there is room, as
     `readVec`. *)
  val writeArr : file_desc * Word8ArraySlice.slice -> int

  datatype whence = SEEK_SET | SEEK_CUR | SEEK_END
  structure FD :
  sig
    include BIT_FLAGS
    (* closed in a program that replaces this one *)
    val cloexec : flags
  end
  structure O :
  sig
    include BIT_FLAGS
    (* Writes at the end. *)
    val append : flags
    (* Fails with `again` instead of waiting. *)
    val nonblock : flags
    (* A write returns when it is on the disk. *)
    val sync : flags
  end
  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR

  (* the least descriptor from `base` on that is free becomes a name of what `old` is open on *)
  val dupfd : {old : file_desc, base : file_desc} -> file_desc
  (* The flags of the descriptor itself. *)
  val getfd : file_desc -> FD.flags
  (* Sets the flags of the descriptor itself. *)
  val setfd : file_desc * FD.flags -> unit
  (* The flags of what the descriptor is open on, and how it was opened. *)
  val getfl : file_desc -> O.flags * open_mode
  (* Sets the flags of what the descriptor is open on. *)
  val setfl : file_desc * O.flags -> unit
  (* Goes to a place in the file, counted from its start, from the current one or from the end; gives the new
     place. *)
  val lseek : file_desc * Position.int * whence -> Position.int
  (* Returns when all that was written is on the disk. *)
  val fsync : file_desc -> unit

  (* Locks of parts of a file, between processes. One process's locks do not keep itself out, and all go when it closes
     any descriptor of the file. *)
  datatype lock_type = F_RDLCK | F_WRLCK | F_UNLCK
  structure FLock :
  sig
    type flock
    (* `len` 0 is to the end of the file, however long it gets; `pid` is who holds it *)
    val flock :
      {ltype : lock_type,
       whence : whence,
       start : Position.int,
       len : Position.int,
       pid : pid option}
      -> flock
    (* Its kind. *)
    val ltype : flock -> lock_type
    (* From where its start is counted. *)
    val whence : flock -> whence
    (* Where it starts. *)
    val start : flock -> Position.int
    (* Its length; 0 is to the end of the file, however long it gets. *)
    val len : flock -> Position.int
    (* SOME of the process that holds it, or NONE. *)
    val pid : flock -> pid option
  end
  (* a lock that keeps this one out; or this one with F_UNLCK *)
  val getlk : file_desc * FLock.flock -> FLock.flock
  (* locks or unlocks; raises SysErr with `again` or `acces` where another process has a lock *)
  val setlk : file_desc * FLock.flock -> FLock.flock
  (* parks the thread until it can be had *)
  val setlkw : file_desc * FLock.flock -> FLock.flock

  (* A reader of the descriptor, for streams of bytes. *)
  val mkBinReader : {fd : file_desc, name : string, initBlkMode : bool} -> BinPrimIO.reader
  (* A reader of the descriptor, for streams of text. *)
  val mkTextReader : {fd : file_desc, name : string, initBlkMode : bool} -> TextPrimIO.reader
  (* A writer to the descriptor, for streams of bytes. *)
  val mkBinWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int}
    -> BinPrimIO.writer
  (* A writer to the descriptor, for streams of text. *)
  val mkTextWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int}
    -> TextPrimIO.writer
end
