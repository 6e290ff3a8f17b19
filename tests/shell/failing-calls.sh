# Errors of the system that say nothing of a file, put in by strace where it is installed: they are told. (`access` said
# that the file may not be read, and a server of files that there is none.) A call that a signal has ended is made again, as
# may happen on file systems of the network. (It was an exception.)
strace -qq true 2> /dev/null || { cat "${0%.sh}.ok"; exit; }
failing() { calls=$1 error=$2; shift 2; strace -f -qq -o log -e trace="$calls" -e inject="$calls:error=$error" -P "$PWD/$file" "$@"; }
echo text > a.txt; ln -s loop.txt loop.txt; file=a.txt
cat > access.sml <<'SML'
fun may name = Bool.toString (OS.FileSys.access (name, [OS.FileSys.A_READ])) handle e => exnMessage e
fun posix name = Bool.toString (Posix.FileSys.access (name, [Posix.FileSys.A_READ])) handle e => exnMessage e
val here = OS.FileSys.getDir ()
val () = app (fn f => print (f (here ^ "/a.txt") ^ "\n")) [may, posix]
val () = app (fn name => print (may name ^ "\n")) ["none.txt", "loop.txt", "a.txt/b", "a\000b", String.implode (List.tabulate (300, fn _ => #"a"))]
SML
cat > files.mlb <<'MLB'
$(SML_LIB)/basis/basis.mlb
$(SML_LIB)/leat/http.mlb
files.sml
MLB
cat > files.sml <<'SML'
val handler = HTTPFiles.handler {root = OS.FileSys.getDir (), cache = 0}
fun request target =
  valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString ("GET " ^ target ^ " HTTP/1.1\r\nHost: x\r\n\r\n")))
fun ask target = Int.toString (#status (handler (request target))) handle e => exnMessage e
val () = app (fn target => print (ask target ^ "\n")) ["/a.txt", "/loop.txt", "/none.txt", "/a.txt/b"]
SML
"$LEAT" build access.sml -o access
"$LEAT" build files.mlb -o files
./access | head -1
failing ?access,?faccessat,?faccessat2 EIO ./access
./files | head -1
failing ?stat,?newfstatat,?statx EIO ./files
cat > again.sml <<'SML'
val () = (let val s = TextIO.openOut "b.txt" in TextIO.output (s, "text"); TextIO.closeOut s end)
val fd = Posix.FileSys.openf ("b.txt", Posix.FileSys.O_RDWR, Posix.FileSys.O.flags [])
val () = Posix.IO.fsync fd
val () = Posix.FileSys.ftruncate (fd, 2)
val () = print (Position.toString (OS.FileSys.fileSize "b.txt") ^ "\n")
SML
"$LEAT" build again.sml -o again
file=b.txt; touch b.txt
for calls in ?open,openat fsync ftruncate ?stat,newfstatat,?statx; do failing "$calls" EINTR:when=1 ./again; done
