(* Lines of text over a socket. *)

signature LINES =
sig
  type socket = (INetSock.inet, Socket.active Socket.stream) Socket.sock
  type reader

  val reader : socket -> reader
  (* the next line without its end; NONE at the end, and for a line of more than 64 KB *)
  val read : reader -> string option
  val write : socket * string -> unit
end
