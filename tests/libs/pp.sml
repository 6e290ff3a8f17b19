(* The pretty printer: every kind of box, wide and narrow; nesting, indentation, new lines, depth, styles. *)

structure PP = TextIOPP

fun printed wid f =
  let val s = PP.openOut {dst = TextIO.stdOut, wid = wid}
  in f s; PP.closeStream s; print "\n" end
fun title s = print ("-- " ^ s ^ "\n")

fun words s l = List.app (fn w => (PP.string s w; PP.space s 1)) l
val text = String.tokens Char.isSpace "a box is a list of words and of breaks between them"

val () =
  List.app
    (fn (name, box) =>
       (title name;
        List.app
          (fn wid => printed wid (fn s => (PP.string s "box "; box s (PP.Rel 2); words s text; PP.closeBox s; PP.string s "!")))
          [80, 24]))
    [("h", fn s => fn _ => PP.openHBox s), ("v", PP.openVBox), ("hv", PP.openHVBox), ("hov", PP.openHOVBox), ("b", PP.openBox)]

(* Expressions. *)
datatype exp = Var of string | App of exp * exp list | Fn of string * exp | Let of (string * exp) list * exp

structure D = PPDescFn (PP)
fun desc (Var x) = D.string x
  | desc (App (f, es)) = D.hovBox (PP.Rel 2, D.string "(" :: desc f :: List.concat (map (fn e => [D.space 1, desc e]) es) @ [D.string ")"])
  | desc (Fn (x, e)) = D.box (PP.Rel 3, [D.string ("fn " ^ x ^ " =>"), D.space 1, desc e])
  | desc (Let (bs, e)) =
      D.hvBox
        (PP.Rel 0,
         [D.vBox (PP.Rel 2, D.string "let" :: map (fn (x, e) => D.hBox [D.space 1, D.string ("val " ^ x ^ " ="), D.space 1, desc e]) bs),
          D.break {nsp = 1, offset = 0}, D.string "in", D.break {nsp = 1, offset = 2}, desc e, D.space 1, D.string "end"])

val exp =
  Let
    ([("compose", Fn ("f", Fn ("g", Fn ("x", App (Var "f", [App (Var "g", [Var "x"])])))))],
     App (Var "compose", [Var "successor", Fn ("y", App (Var "y", [Var "y", Var "zero", Var "one"])), Var "argument"]))
val () = List.app (fn wid => (title (Int.toString wid); printed wid (fn s => D.description (s, desc exp)))) [80, 40, 20]

val () = title "new lines and offsets"
val () =
  printed 30
    (fn s =>
       (PP.openVBox s (PP.Abs 4);
        PP.string s "begin";
        PP.newline s;
        PP.string s "one";
        PP.nbSpace s 3;
        PP.string s "two";
        PP.break s {nsp = 1, offset = 2};
        PP.string s "three";
        PP.control s (fn _ => print "<here>");
        PP.closeBox s;
        PP.newline s;
        PP.string s "end"))

structure S = PPStreamFn (structure Token = StringToken structure Device = CharBufferDev)
val () = title "depth"
val () =
  let
    val buffer = CharBuffer.new 10
    val device = CharBufferDev.openDev {dst = buffer, wid = 40}
    val () = CharBufferDev.setMaxDepth (device, SOME 4)
    val s = S.openStream device
    fun nest n = if n = 0 then S.string s "core" else (S.openHOVBox s (S.Rel 1); S.string s "["; nest (n - 1); S.string s "]"; S.closeBox s)
  in
    nest 6;
    S.closeStream s;
    print (CharBuffer.contents buffer ^ "\n")
  end

structure P = ANSITermPP
val () = title "styles"
val () =
  let
    (* No terminal gets styles only if the program says so. *)
    val device = ANSITermDev.openDev {dst = TextIO.stdOut, wid = 40}
    val () = print (Bool.toString (ANSITermDev.styleMode (device, SOME true)) ^ "\n")
    val s = P.openStream device
  in
    P.pushStyle (s, [ANSITerm.BF]);
    P.string s "bold ";
    P.token s (P.Tok.token ([ANSITerm.FG ANSITerm.Red], "red"));
    P.popStyle s;
    P.string s " plain";
    P.closeStream s;
    print "\n"
  end
val () =
  let
    val s = P.openOut {dst = TextIO.stdOut, wid = 40}
  in
    P.token s (P.Tok.token ([ANSITerm.FG ANSITerm.Red], "not red"));
    P.closeStream s;
    print "\n"
  end
val () =
  let
    val written = ref []
    val writer =
      TextPrimIO.WR
        {name = "list", chunkSize = 100, writeVec = SOME (fn s => (written := CharVectorSlice.vector s :: !written; CharVectorSlice.length s)),
         writeArr = NONE, writeVecNB = NONE, writeArrNB = NONE, block = NONE, canOutput = NONE, getPos = NONE, setPos = NONE,
         endPos = NONE, verifyPos = NONE, close = ignore, ioDesc = NONE}
    val s = P.openOut {dst = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer, IO.NO_BUF)), wid = 40}
  in
    P.token s (P.Tok.token ([ANSITerm.BF], "in a list"));
    P.closeStream s;
    print (concat (rev (!written)) ^ "\n")
  end

val () = title "errors"
val () = (printed 10 PP.closeBox) handle Fail s => print (s ^ "\n")
