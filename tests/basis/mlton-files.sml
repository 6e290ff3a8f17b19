(* MLton.TextIO.mkstemps renamed a new file to its name with the suffix, over a file that might have had it, and then
   made a link, which some file systems do not have; and MLton.Process.create told a program the last part of its path,
   where MLton tells all of it. *)

val (name, out) = MLton.TextIO.mkstemps {prefix = MLton.TextIO.tempPrefix "leat", suffix = ".txt"}
val () = (TextIO.output (out, "hello\n"); TextIO.closeOut out)
val () = print (TextIO.inputAll (TextIO.openIn name))
val without = String.substring (name, 0, size name - 4)
val () = print (String.extract (name, size without, NONE) ^ " " ^ Bool.toString (OS.FileSys.access (without, [])) ^ "\n")
val () = OS.FileSys.remove name

val (name, out) = MLton.BinIO.mkstemps {prefix = MLton.BinIO.tempPrefix "leat", suffix = ""}
val () = (BinIO.closeOut out; OS.FileSys.remove name)
val () =
  (MLton.TextIO.mkstemps {prefix = "/no/such/folder/x", suffix = ".txt"}; print "made\n")
  handle OS.SysErr (_, error) => print (if error = SOME Posix.Error.noent then "noent\n" else "another error\n")

(* TMPDIR counts if it is the absolute name of a folder. Files were made in the current folder, or SysErr was raised. *)
val () =
  List.app
    (fn value =>
       (MLton.ProcEnv.setenv {name = "TMPDIR", value = value};
        print (MLton.TextIO.tempPrefix "leat" ^ " " ^ MLton.BinIO.tempPrefix "/x/y" ^ "\n")))
    ["", ".", "tmp", "/no/such/folder", "/tmp/", "/dev/null", "/dev", "/"]

local
  open MLton.Process
  val param = {stdin = Param.null, stdout = Param.self, stderr = Param.self}
  val {stdin, stdout, stderr} = param
in
  val p = create {path = "/bin/sh", args = ["-c", "echo $0"], env = NONE, stdin = stdin, stdout = stdout, stderr = stderr}
  val _ = reap p
end
