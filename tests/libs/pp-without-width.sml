(* A pretty printer whose device has no line width, or a very large one, printed nothing, ever: what is more than any
   line was the width of such a device, too, so that nothing was known not to fit when the stream was flushed. *)

structure PP = TextIOPP
fun expression s =
  (PP.openHOVBox s (PP.Rel 2);
   List.app (fn n => (PP.string s (Int.toString n); PP.space s 1)) (List.tabulate (60, fn i => i));
   PP.openVBox s (PP.Abs 4);
   PP.string s "lines";
   PP.newline s;
   PP.string s "end";
   PP.closeBox s;
   PP.closeBox s)
fun show device =
  let
    val s = PP.openStream device
  in
    expression s;
    PP.flushStream s;
    PP.string s "; and again: ";
    expression s;
    PP.closeStream s;
    print "\n"
  end
fun device wid = SimpleTextIODev.openDev {dst = TextIO.stdOut, wid = wid}
val none = device 80
val () = SimpleTextIODev.setLineWidth (none, NONE)
val () = show none
val () = List.app (show o device) [0x3FFFFFFE, 0x3FFFFFFF, 0x40000000, valOf Int.maxInt]

(* one of the program's own, without limits *)
structure Own =
  DefaultDeviceFn
    (type t = unit
     type style = unit
     fun sameStyle _ = true
     fun pushStyle _ = ()
     fun popStyle _ = ()
     fun defaultStyle _ = ()
     fun indent (_, n) = print (StringCvt.padLeft #" " n "")
     val space = indent
     fun newline _ = print "\n"
     fun string (_, s) = print s
     fun char (_, c) = print (String.str c)
     fun flush _ = ())
structure OwnPP = PPStreamFn (structure Token = StringToken structure Device = Own)
val s = OwnPP.openStream (Own.new ())
val () = (OwnPP.openHBox s; OwnPP.string s "hello"; OwnPP.space s 2; OwnPP.string s "you"; OwnPP.newline s)
val () = OwnPP.closeStream s
