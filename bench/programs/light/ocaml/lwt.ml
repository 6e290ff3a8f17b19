(* Lwt's promises and its MVars. A new thread runs at once until it waits, as is Lwt's way. *)

let name = "ocaml-lwt"

type 'a mvar = 'a Lwt_mvar.t

let mvar () : 'a mvar = Lwt_mvar.create_empty ()
let ( >>= ) = Lwt.bind
let finished = Lwt.return_unit
let take = Lwt_mvar.take
let put = Lwt_mvar.put
let spawn f = Lwt.async f; Lwt.return_unit

let run main =
  let promise, resolver = Lwt.wait () in
  Lwt.async (fun () -> main (fun x -> Lwt.wakeup_later resolver x; Lwt.return_unit));
  Lwt_main.run promise
