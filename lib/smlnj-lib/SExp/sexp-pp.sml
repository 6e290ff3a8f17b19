(* SExpPP: an S-expression in lines that are not too long. *)

structure SExpPP : sig
  val output : TextIOPP.stream * SExp.value -> unit
  (* Prints the value, and ends the line. What a list contains begins in one column, behind its first value. *)
end =
struct
  structure PP = TextIOPP

  fun output (stream, v) =
    let
      val string = PP.string stream
      fun value v =
        case v of
          SExp.QUOTE v => (string "'"; value v)
        | SExp.LIST (v :: rest) =>
            (PP.openHBox stream;
             string "(";
             value v;
             items rest;
             PP.closeBox stream)
        | _ => string (SExpPrinter.toString v)
      and items [] = string ")"
        | items (v :: rest) =
            (PP.space stream 1;
             PP.openHOVBox stream (PP.Rel 0);
             value v;
             List.app (fn v => (PP.space stream 1; value v)) rest;
             string ")";
             PP.closeBox stream)
    in
      PP.openVBox stream (PP.Abs 0);
      value v;
      PP.newline stream;
      PP.closeBox stream
    end
end
