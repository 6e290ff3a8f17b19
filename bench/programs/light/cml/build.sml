(* sml -m light-cml.cm < build.sml makes a heap image, which sml @SMLload=light-cml NETWORK N runs. *)
SMLofNJ.exportFn ("light-cml", fn (_, arguments) => LightCML.main ("smlnj", arguments));
