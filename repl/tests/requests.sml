(* begins as many exercises do *)
CM.make "$/smlnj-lib.cm";
val size = IntRedBlackMap.numItems (IntRedBlackMap.singleton (1, "one"));
