(* A crawler that can be called off: threads follow the links of pages, each page once, until one has what is looked for; then
   all of them stop, also those that wait. The pages are made up, and slow.
   Usage: leat run examples/crawler.sml *)

open CML

(* Page n links to 2n and 2n + 1; it takes some milliseconds. *)
fun fetch n =
  (sync (timeOutEvt (Time.fromMilliseconds (Int.toLarge (n mod 5 + 1))));
   {text = if n = 77 then "the treasure" else "page " ^ Int.toString n,
    links = if n < 5000 then [2 * n, 2 * n + 1, n div 2] else []})

(* The first page for which `wanted` holds, searched by so many threads; NONE when all pages were seen. *)
fun search {threads, wanted} start =
  let
    val found : int SyncVar.ivar = SyncVar.iVar ()
    val work : int chan = channel ()
    val done : int list chan = channel ()
    (* Whoever waits for something else also waits for this. *)
    val stop = SyncVar.iGetEvt found

    fun worker () =
      case select [wrap (recvEvt work, SOME), wrap (stop, fn _ => NONE)] of
        NONE => ()
      | SOME page =>
          let
            val {text, links} = fetch page
          in
            if wanted text then ignore (SyncVar.iPut (found, page)) handle SyncVar.Put => ()
            else ();
            select [wrap (sendEvt (done, links), worker), wrap (stop, ignore)]
          end

    (* Knows what was seen, gives out what was not. *)
    fun coordinate ([], 0, _) = NONE
      | coordinate (queue, busy, seen) =
          let
            val give =
              case queue of
                [] => []
              | page :: rest => [wrap (sendEvt (work, page), fn () => SOME (rest, busy + 1, seen))]
            fun add (page, (queue, seen)) =
              if List.exists (fn p => p = page) seen then (queue, seen)
              else (page :: queue, page :: seen)
            fun finished links =
              let
                val (queue', seen') = List.foldl add ([], seen) links
              in
                SOME (queue @ rev queue', busy - 1, seen')
              end
          in
            case select (wrap (recvEvt done, finished) :: wrap (stop, fn _ => NONE) :: give) of
              NONE => SOME (SyncVar.iGet found)
            | SOME state => coordinate state
          end

    val workers = List.tabulate (threads, fn _ => spawn worker)
  in
    coordinate ([start], 0, [start])
    before (ignore (SyncVar.iPut (found, 0)) handle SyncVar.Put => ();
            app (fn thread => sync (joinEvt thread)) workers)
  end

val () =
  case search {threads = 8, wanted = String.isSubstring "treasure"} 1 of
    SOME page => print ("found on page " ^ Int.toString page ^ "; all threads have ended\n")
  | NONE => print "not found\n"
