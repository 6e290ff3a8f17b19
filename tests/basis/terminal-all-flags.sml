(* Flags of a terminal's modes that the system has not are cut, as those of a file's mode are. "All but echo" has the
   uppermost bit of a word, and raised Overflow. *)
open Posix.TTY
val fd = Posix.FileSys.openf ("/dev/ptmx", Posix.FileSys.O_RDWR, Posix.FileSys.O.flags [Posix.FileSys.O.noctty])
val {iflag, oflag, cflag, lflag, cc, ispeed, ospeed} = fieldsOf (TC.getattr fd)
fun set (iflag, oflag, lflag) =
  (TC.setattr (fd, TC.sanow, termios {iflag = iflag, oflag = oflag, cflag = cflag, lflag = lflag, cc = cc, ispeed = ispeed,
                                      ospeed = ospeed});
   "set")
  handle e => exnName e
val () = print (set (iflag, oflag, L.clear (L.echo, L.all)) ^ "\n")
val new = TC.getattr fd
val () = print (Bool.toString (L.anySet (L.echo, getlflag new)) ^ Bool.toString (L.allSet (L.icanon, getlflag new)) ^ "\n")
val () = print (set (I.clear (I.ixon, I.all), oflag, lflag) ^ "\n")
val new = TC.getattr fd
val () = print (Bool.toString (I.anySet (I.ixon, getiflag new)) ^ Bool.toString (I.allSet (I.brkint, getiflag new)) ^ "\n")
val () = print (set (iflag, O.all, lflag) ^ "\n")
(* devices and inodes may have that bit, too *)
val high = 0wxfedcba9876543210
open Posix.FileSys.ST
val () = print (Bool.toString (Posix.FileSys.inoToWord (Posix.FileSys.wordToIno high) = high) ^ "\n")
val () = print (Bool.toString (Posix.FileSys.devToWord (Posix.FileSys.wordToDev high) = high) ^ "\n")
