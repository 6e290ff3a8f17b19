(* version 1 *)

use (* of a file *) "good.sml"; (* and then *)
val () = use "good.sml";
