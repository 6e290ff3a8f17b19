(* PPStreamFn: a pretty printer in linear time with a buffer of a line's size, after Oppen (TOPLAS 2:4, 1980), with the
   kinds of boxes of Weis's Format in OCaml.

   Items wait in a queue until it is known whether they fit. The size of a break is how much room it, and the text up to
   the next break of its box or the box's end, take; the size of a box is that of all its contents. As long as a size is
   not known it is negative: minus the total of what had come in before. When more has come in than a line holds, the
   item at the head is known not to fit.

   Keeps: `scan` has the boxes and breaks without a size, the innermost first; `boxes` the boxes that the printed text is
   in, each with the room that a line of it has. *)

functor PPStreamFn
  (structure Token : PP_TOKEN
   structure Device : PP_DEVICE
   sharing type Token.style = Device.style) : sig
  include PP_STREAM

  val dump : TextIO.outstream * stream -> unit
  (* The state, for debugging. *)
end
  where type device = Device.device
  where type token = Token.token
  where type style = Token.style =
struct
  structure D = Device

  type device = Device.device
  type token = Token.token
  type style = Token.style

  datatype indent =
      Abs of int
    | Rel of int

  datatype kind = H | V | HV | HOV | B | Fits

  datatype item =
      Text of string
    | Blanks of int
    | Break of {nsp : int, offset : int}
    | Open of indent * kind
    | Close
    | Push of style
    | Pop
    | NewLine
    | Control of device -> unit

  type entry = {item : item, size : int ref, length : int}

  datatype stream =
    S of
        {device : device,
         width : int,
         maxIndent : int,
         maxDepth : int,
         queue : entry Queue.queue,
         scan : (int * entry) list ref,
         (* Totals of the lengths that left the queue and that came in. *)
         left : int ref,
         right : int ref,
         boxes : (kind * int) list ref,
         (* Of the current line. *)
         room : int ref,
         indentation : int ref,
         fresh : bool ref,
         depth : int ref,
         styles : style list ref}

  (* No line is wider: what is known not to fit is less than infinity, also where a device has no width. *)
  val widest = 0x3FFFFFFF
  val infinity = valOf Int.maxInt div 2

  (* What is known to fit or not is printed. *)

  fun spaces (device, n) = if n > 0 then D.space (device, n) else ()

  fun sameLine (S {device, room, ...}, n) = (room := !room - n; spaces (device, n))

  (* A new line in a box whose lines have so much room. *)
  fun breakLine (S {device, width, maxIndent, room, indentation, fresh, ...}, boxRoom, offset) =
    let
      val n = Int.max (0, Int.min (maxIndent, width - boxRoom + offset))
    in
      fresh := true;
      D.newline device;
      indentation := n;
      room := width - n;
      if n > 0 then D.indent (device, n) else ()
    end

  fun printBreak (s as S {boxes, room, width, indentation, fresh, ...}, size, {nsp, offset}) =
    case !boxes of
      [] => ()
    | (kind, boxRoom) :: _ =>
        let
          val newLine =
            case kind of
              H => false
            | Fits => false
            | V => true
            | HV => true
            | HOV => size > !room
            | B =>
                not (!fresh) andalso (size > !room orelse !indentation > width - boxRoom + offset)
        in
          if newLine then breakLine (s, boxRoom, offset) else sameLine (s, nsp)
        end

  fun printOpen (s as S {boxes, room, width, maxIndent, indentation, ...}, size, indent, kind) =
    let
      (* A box that would begin too far on the right begins on a new line, if its own box can break. *)
      val () =
        case !boxes of
          (outer, boxRoom) :: _ =>
            if width - !room > maxIndent
               andalso boxRoom > !room
               andalso outer <> Fits
               andalso outer <> H
            then
              breakLine (s, boxRoom, 0)
            else ()
        | [] => ()
      val boxRoom =
        case indent of
          Rel n => !room - n
        | Abs n => (case !boxes of (_, outer) :: _ => outer - n | [] => width - !indentation - n)
    in
      boxes := (if kind <> V andalso size <= !room then Fits else kind, boxRoom) :: !boxes
    end

  fun print (s as S {device, boxes, room, fresh, ...}, size, item) =
    case item of
      Text "" => ()
    | Text text => (room := !room - size; fresh := false; D.string (device, text))
    | Blanks n => sameLine (s, n)
    | Break b => printBreak (s, size, b)
    | Open (indent, kind) => printOpen (s, size, indent, kind)
    | Close => boxes := (case !boxes of _ :: outer => outer | [] => [])
    | Push style => D.pushStyle (device, style)
    | Pop => D.popStyle device
    | NewLine =>
        (case !boxes of
           (_, boxRoom) :: _ => breakLine (s, boxRoom, 0)
         | [] => (fresh := true; D.newline device))
    | Control f => f device

  fun advance (s as S {queue, left, right, room, ...}) =
    case Queue.peek queue of
      NONE => ()
    | SOME {item, size, length} =>
        if !size >= 0 orelse !right - !left >= !room then
          (ignore (Queue.next queue);
           print (s, if !size < 0 then infinity else !size, item);
           left := !left + length;
           advance s)
        else ()

  (* Items come in. *)

  fun visible (S {depth, maxDepth, ...}) = !depth < maxDepth

  fun enqueue (S {queue, right, ...}, entry as {length, ...} : entry) =
    (right := !right + length; Queue.enqueue (queue, entry))

  fun known (s, item, length) =
    if visible s then (enqueue (s, {item = item, size = ref length, length = length}); advance s)
    else ()

  (* The innermost open item gets its size, if it is a break or a box as the flag says. What was printed without one no
     longer counts, and neither does what is further out. *)
  fun settle (S {scan, left, right, ...}, isBreak) =
    case !scan of
      [] => ()
    | (total, {item, size, ...}) :: outer =>
        if total < !left then scan := []
        else
          case (item, isBreak) of
            (Break _, true) => (size := !size + !right; scan := outer)
          | (Open _, false) => (size := !size + !right; scan := outer)
          | _ => ()

  fun wait (S {scan, right, ...}, entry) = scan := (!right, entry) :: !scan

  fun openKind kind (s as S {device, right, depth, maxDepth, ...}) indent =
    (depth := !depth + 1;
     if !depth < maxDepth then
       let
         val entry = {item = Open (indent, kind), size = ref (~ (!right)), length = 0}
       in
         enqueue (s, entry);
         wait (s, entry)
       end
     else if !depth = maxDepth then
       let
         val (text, length) = D.ellipses device
       in
         enqueue (s, {item = Text text, size = ref length, length = length});
         advance s
       end
     else ())

  fun closeBox (s as S {depth, ...}) =
    if !depth <= 1 then raise Fail "unmatched close box"
    else
      (if visible s then
         (enqueue (s, {item = Close, size = ref 0, length = 0});
          settle (s, true);
          settle (s, false))
       else ();
       depth := !depth - 1)

  fun break (s as S {right, ...}) (b as {nsp, ...}) =
    if visible s then
      let
        val entry = {item = Break b, size = ref (~ (!right)), length = nsp}
      in
        enqueue (s, entry);
        settle (s, true);
        wait (s, entry)
      end
    else ()

  fun openHBox s = openKind H s (Abs 0)
  fun openVBox s = openKind V s
  fun openHVBox s = openKind HV s
  fun openHOVBox s = openKind HOV s
  fun openBox s = openKind B s

  (* Everything is in one box of the stream's own. *)
  fun start
    (s as S {queue, scan, left, right, boxes, room, width, indentation, fresh, depth, styles,
             ...}) =
    (Queue.clear queue;
     scan := [];
     left := 1;
     right := 1;
     boxes := [];
     room := width;
     indentation := 0;
     fresh := true;
     depth := 0;
     styles := [];
     openHOVBox s (Rel 0))

  fun openStream device =
    let
      fun limit n = getOpt (n, infinity)
      val width = Int.min (limit (D.lineWidth device), widest)
      val s =
        S {device = device,
           width = width,
           maxIndent = Int.min (limit (D.maxIndent device), width - 1),
           maxDepth = Int.max (limit (D.maxDepth device), 2),
           queue = Queue.mkQueue (),
           scan = ref [],
           left = ref 1,
           right = ref 1,
           boxes = ref [],
           room = ref width,
           indentation = ref 0,
           fresh = ref true,
           depth = ref 0,
           styles = ref []}
    in
      if width <= 0 orelse limit (D.maxIndent device) < 0 then raise Size else (start s; s)
    end

  fun flushStream (s as S {device, right, depth, ...}) =
    (while !depth > 1 do closeBox s;
     right := infinity;
     advance s;
     D.flush device;
     start s)

  val closeStream = flushStream
  fun getDevice (S {device, ...}) = device

  fun currentStyle (S {device, styles, ...}) =
    case !styles of style :: _ => style | [] => D.defaultStyle device

  fun string s text = known (s, Text text, size text)

  fun token s t =
    let
      val style = Token.style t
      val plain = D.sameStyle (currentStyle s, style)
    in
      if plain then () else known (s, Push style, 0);
      known (s, Text (Token.string t), Token.size t);
      if plain then () else known (s, Pop, 0)
    end

  fun pushStyle (s as S {styles, ...}, style) =
    (if D.sameStyle (currentStyle s, style) then () else known (s, Push style, 0);
     styles := style :: !styles)

  fun popStyle (s as S {styles, ...}) =
    case !styles of
      [] => raise Fail "PP: unmatched popStyle"
    | style :: outer =>
        (styles := outer; if D.sameStyle (currentStyle s, style) then () else known (s, Pop, 0))

  fun space s n = break s {nsp = n, offset = 0}
  fun cut s = break s {nsp = 0, offset = 0}
  fun newline s = known (s, NewLine, 0)
  fun nbSpace s n = known (s, Blanks n, n)
  fun control s f = known (s, Control f, 0)

  fun dump (out, S {width, room, indentation, depth, left, right, queue, boxes, ...}) =
    let
      fun show (Text t) = "text " ^ String.toString t
        | show (Blanks n) = "blanks " ^ Int.toString n
        | show (Break {nsp, offset}) = concat ["break ", Int.toString nsp, " ", Int.toString offset]
        | show (Open _) = "open"
        | show Close = "close"
        | show (Push _) = "push"
        | show Pop = "pop"
        | show NewLine = "newline"
        | show (Control _) = "control"
      fun entry {item, size, length} = concat ["\n    ", show item, " (", Int.toString (!size), ")"]
      fun line (name, n) = concat ["  ", name, " ", Int.toString n, "\n"]
    in
      TextIO.output (out,
                     concat (["stream\n",
                              line ("width", width),
                              line ("room", !room),
                              line ("indentation", !indentation),
                              line ("depth", !depth),
                              line ("boxes", length (!boxes)),
                              line ("left", !left),
                              line ("right", !right),
                              "  queue"]
                             @ List.map entry (Queue.contents queue)
                             @ ["\n"]))
    end
end

functor PPDebugFn
  (PP : sig
     include PP_STREAM
     val dump : TextIO.outstream * stream -> unit
   end) : sig
  include PP_STREAM

  val debugStrm : TextIO.outstream ref
  (* Where the state is dumped before each operation. *)
end =
struct
  open PP

  datatype indent = datatype PP.indent

  val debugStrm = ref TextIO.stdErr

  fun traced name f s =
    (TextIO.output (!debugStrm, "*** " ^ name ^ ": ");
     dump (!debugStrm, s);
     TextIO.flushOut (!debugStrm);
     f s)

  val flushStream = traced "flushStream" flushStream
  val closeStream = traced "closeStream" closeStream
  val openHBox = traced "openHBox" openHBox
  val openVBox = traced "openVBox" openVBox
  val openHVBox = traced "openHVBox" openHVBox
  val openHOVBox = traced "openHOVBox" openHOVBox
  val openBox = traced "openBox" openBox
  val closeBox = traced "closeBox" closeBox
  val token = traced "token" token
  val string = traced "string" string
  val break = traced "break" break
  val space = traced "space" space
  val cut = traced "cut" cut
  val newline = traced "newline" newline
  val nbSpace = traced "nbSpace" nbSpace
  val control = traced "control" control
end
