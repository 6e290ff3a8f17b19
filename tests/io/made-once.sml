(* What is made at its first use could be made by each thread that came meanwhile: two streams over one end of a pipe,
   each with a part of the text. And a second thread that reaped a process of MLton's got ECHILD. *)
open CML

fun all n f =
  let
    val results = SyncVar.mVarInit []
    fun one i = let val x = f i in SyncVar.mPut (results, x :: SyncVar.mTake results) end
  in
    app (sync o joinEvt) (List.tabulate (n, fn i => spawn (fn () => one i)));
    SyncVar.mTake results
  end

(* all lines arrive, whoever reads them *)
fun lines () =
  let
    val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/cat", [])
    val sent = List.tabulate (20, fn i => Int.toString (100 + i) ^ "\n")
    val () =
      (app (fn s => TextIO.output (Unix.textOutstreamOf p, s)) sent; TextIO.closeOut (Unix.textOutstreamOf p))
    fun read () =
      case TextIO.inputLine (Unix.textInstreamOf p) of
        SOME s => s :: read ()
      | NONE => []
    val got = List.concat (all 4 (fn _ => read ()))
    val statuses = all 3 (fn _ => Unix.reap p)
    fun insert (s : string, []) = [s]
      | insert (s, t :: rest) = if s <= t then s :: t :: rest else t :: insert (s, rest)
  in
    foldl insert [] got = sent andalso List.all OS.Process.isSuccess statuses
  end
val () = print (if List.all lines (List.tabulate (20, fn _ => ())) then "all lines\n" else "lines are missing\n")

local
  open MLton.Process
in
  fun status () =
    let
      val p : (none, none, none) t =
        create
          {path = "/bin/sh", args = ["-c", "exit 3"], env = NONE, stdin = Param.self, stdout = Param.self,
           stderr = Param.self}
    in
      all 4 (fn _ => reap p = Posix.Process.W_EXITSTATUS 0w3 handle OS.SysErr _ => false)
    end
  val () = print (if List.all (List.all (fn b => b) o status) [(), (), ()] then "reaped\n" else "not all reaped\n")
  (* all of them read one stream: each has a line *)
  fun taken () =
    let
      val p : (none, TextIO.instream, none) t =
        create
          {path = "/bin/echo", args = ["1\n1\n1\n1"], env = NONE, stdin = Param.self, stdout = Param.pipe,
           stderr = Param.self}
      val out = getStdout p
      val got = all 4 (fn _ => TextIO.inputLine (Child.textIn out))
    in
      ignore (reap p);
      got = [SOME "1\n", SOME "1\n", SOME "1\n", SOME "1\n"]
    end
  val () = print (if List.all taken [(), (), (), ()] then "one stream\n" else "several streams\n")
end

(* none of them is lost *)
exception E of int
val () =
  ignore (all 8 (fn i => MLton.Exn.addExnMessager (fn E n => if n = i then SOME (Int.toString n) else NONE | _ => NONE)))
val () = print (String.concatWith " " (List.tabulate (8, fn i => exnMessage (E i))) ^ "\n")
