(* Counts what a text has. *)

signature COUNT =
sig
  (* words: runs of characters that are no white space *)
  val words : string -> int
  (* the word that is there most often, and how often; of several the first by the alphabet *)
  val mostFrequent : string -> (string * int) option
end
