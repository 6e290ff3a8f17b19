(* Posix.TTY: terminals. Numbers are those of Linux. *)

signature POSIX_TTY =
sig
  eqtype pid
  eqtype file_desc

  (* Control characters *)
  structure V :
  sig
    (* Place of the character that ends the input. *)
    val eof : int
    (* Place of a further character that ends a line. *)
    val eol : int
    (* Place of the character that erases one. *)
    val erase : int
    (* Place of the character that interrupts. *)
    val intr : int
    (* Place of the character that erases the line. *)
    val kill : int
    (* Place of the fewest characters of a read. *)
    val min : int
    (* Place of the character that quits. *)
    val quit : int
    (* Place of the character that suspends. *)
    val susp : int
    (* Place of the tenths of a second that a read waits. *)
    val time : int
    (* Place of the character that lets output go on. *)
    val start : int
    (* Place of the character that stops output. *)
    val stop : int
    (* How many places there are. *)
    val nccs : int

    type cc
    (* Control characters: these, and NUL elsewhere. *)
    val cc : (int * char) list -> cc
    (* The same with these changed. *)
    val update : cc * (int * char) list -> cc
    (* The character at a place. Raises Subscript when there is no such place. *)
    val sub : cc * int -> char
  end

  (* Input *)
  structure I :
  sig
    include BIT_FLAGS
    (* A break interrupts. *)
    val brkint : flags
    (* CR becomes LF. *)
    val icrnl : flags
    (* A break is ignored. *)
    val ignbrk : flags
    (* CR is ignored. *)
    val igncr : flags
    (* Characters with errors of parity are ignored. *)
    val ignpar : flags
    (* LF becomes CR. *)
    val inlcr : flags
    (* Parity is checked. *)
    val inpck : flags
    (* Characters are cut to 7 bits. *)
    val istrip : flags
    (* Input is stopped and started by control characters. *)
    val ixoff : flags
    (* Output is stopped and started by control characters. *)
    val ixon : flags
    (* Errors of parity are marked. *)
    val parmrk : flags
  end

  (* Output *)
  structure O :
  sig
    include BIT_FLAGS
    (* What is sent is processed. *)
    val opost : flags
  end

  (* The line *)
  structure C :
  sig
    include BIT_FLAGS
    (* The line has no modem. *)
    val clocal : flags
    (* Characters are received. *)
    val cread : flags
    (* 5 bits a character. *)
    val cs5 : flags
    (* 6 bits a character. *)
    val cs6 : flags
    (* 7 bits a character. *)
    val cs7 : flags
    (* 8 bits a character. *)
    val cs8 : flags
    (* All bits that say how long a character is. *)
    val csize : flags
    (* Two stop bits. *)
    val cstopb : flags
    (* The last close hangs up. *)
    val hupcl : flags
    (* Characters have parity. *)
    val parenb : flags
    (* Parity is odd. *)
    val parodd : flags
  end

  (* Local modes *)
  structure L :
  sig
    include BIT_FLAGS
    (* What is typed is shown. *)
    val echo : flags
    (* Erased characters disappear. *)
    val echoe : flags
    (* An erased line is followed by LF. *)
    val echok : flags
    (* LF is shown even without `echo`. *)
    val echonl : flags
    (* Input comes in lines, which can be corrected. *)
    val icanon : flags
    (* There are further control characters. *)
    val iexten : flags
    (* Control characters send signals. *)
    val isig : flags
    (* A signal does not throw away what was typed. *)
    val noflsh : flags
    (* A write in the background stops the process. *)
    val tostop : flags
  end

  (* Speeds of the line in bits a second *)
  eqtype speed
  (* The order of two speeds. *)
  val compareSpeed : speed * speed -> order
  (* The system's number of a speed. *)
  val speedToWord : speed -> SysWord.word
  (* The speed with that number. *)
  val wordToSpeed : SysWord.word -> speed
  (* Hangs up. *)
  val b0 : speed
  (* 50 bits a second. *)
  val b50 : speed
  (* 75 bits a second. *)
  val b75 : speed
  (* 110 bits a second. *)
  val b110 : speed
  (* 134 bits a second. *)
  val b134 : speed
  (* 150 bits a second. *)
  val b150 : speed
  (* 200 bits a second. *)
  val b200 : speed
  (* 300 bits a second. *)
  val b300 : speed
  (* 600 bits a second. *)
  val b600 : speed
  (* 1200 bits a second. *)
  val b1200 : speed
  (* 1800 bits a second. *)
  val b1800 : speed
  (* 2400 bits a second. *)
  val b2400 : speed
  (* 4800 bits a second. *)
  val b4800 : speed
  (* 9600 bits a second. *)
  val b9600 : speed
  (* 19200 bits a second. *)
  val b19200 : speed
  (* 38400 bits a second. *)
  val b38400 : speed

  (* All settings; values that do not change *)
  type termios
  (* Settings of these fields. *)
  val termios :
    {iflag : I.flags,
     oflag : O.flags,
     cflag : C.flags,
     lflag : L.flags,
     cc : V.cc,
     ispeed : speed,
     ospeed : speed}
    -> termios
  (* All fields of settings. *)
  val fieldsOf :
    termios
    -> {iflag : I.flags,
        oflag : O.flags,
        cflag : C.flags,
        lflag : L.flags,
        cc : V.cc,
        ispeed : speed,
        ospeed : speed}
  (* The flags of input. *)
  val getiflag : termios -> I.flags
  (* The flags of output. *)
  val getoflag : termios -> O.flags
  (* The flags of the line. *)
  val getcflag : termios -> C.flags
  (* The local modes. *)
  val getlflag : termios -> L.flags
  (* The control characters. *)
  val getcc : termios -> V.cc

  (* The speeds of settings *)
  structure CF :
  sig
    (* The speed of output. *)
    val getospeed : termios -> speed
    (* The settings with that speed of output. *)
    val setospeed : termios * speed -> termios
    (* The speed of input. *)
    val getispeed : termios -> speed
    (* The settings with that speed of input. *)
    val setispeed : termios * speed -> termios
  end

  (* Terminals behind descriptors *)
  structure TC :
  sig
    eqtype set_action
    (* At once. *)
    val sanow : set_action
    (* When all output is sent. *)
    val sadrain : set_action
    (* When all output is sent; input not yet read is thrown away. *)
    val saflush : set_action

    eqtype flow_action
    (* Stops output. *)
    val ooff : flow_action
    (* Starts output again. *)
    val oon : flow_action
    (* Sends STOP, so that the other side stops. *)
    val ioff : flow_action
    (* Sends START, so that the other side starts again. *)
    val ion : flow_action

    eqtype queue_sel
    (* Input that was not read. *)
    val iflush : queue_sel
    (* Output that was not sent. *)
    val oflush : queue_sel
    (* Both. *)
    val ioflush : queue_sel

    (* The terminal's settings. Raises OS.SysErr when the descriptor is of none. *)
    val getattr : file_desc -> termios
    (* Sets the terminal's settings, at that time. *)
    val setattr : file_desc * set_action * termios -> unit
    (* Sends zeros for so long; 0 is a quarter of a second to half a second. *)
    val sendbreak : file_desc * int -> unit
    (* Parks the thread until all output is sent. *)
    val drain : file_desc -> unit
    (* Throws that away. *)
    val flush : file_desc * queue_sel -> unit
    (* Stops or starts input or output. *)
    val flow : file_desc * flow_action -> unit
    (* The process group in the foreground. *)
    val getpgrp : file_desc -> pid
    (* Puts a process group in the foreground. *)
    val setpgrp : file_desc * pid -> unit
  end
end

structure PosixTTY' =
struct
  type pid = int
  type file_desc = int

  structure V =
  struct
    val intr = ControlCharacter'.intr
    val quit = ControlCharacter'.quit
    val erase = ControlCharacter'.erase
    val kill = ControlCharacter'.kill
    val eof = ControlCharacter'.eof
    val time = ControlCharacter'.time
    val min = ControlCharacter'.min
    val start = ControlCharacter'.start
    val stop = ControlCharacter'.stop
    val susp = ControlCharacter'.susp
    val eol = ControlCharacter'.eol
    val nccs = ControlCharacter'.count

    type cc = CharVector.vector
    fun update (cc, changes) =
      List.foldl (fn ((i, c), cc) => CharVector.update (cc, i, c)) cc changes
    fun cc places = update (CharVector.tabulate (nccs, fn _ => #"\000"), places)
    val sub = CharVector.sub
  end

  structure I =
  struct
    open BitFlags'
    val ignbrk = InputFlag'.ignbrk
    val brkint = InputFlag'.brkint
    val ignpar = InputFlag'.ignpar
    val parmrk = InputFlag'.parmrk
    val inpck = InputFlag'.inpck
    val istrip = InputFlag'.istrip
    val inlcr = InputFlag'.inlcr
    val igncr = InputFlag'.igncr
    val icrnl = InputFlag'.icrnl
    val ixon = InputFlag'.ixon
    val ixoff = InputFlag'.ixoff
  end

  structure O =
  struct
    open BitFlags'
    val opost = OutputFlag'.opost
  end

  structure C =
  struct
    open BitFlags'
    val cs5 = ControlFlag'.cs5
    val cs6 = ControlFlag'.cs6
    val cs7 = ControlFlag'.cs7
    val cs8 = ControlFlag'.cs8
    val csize = ControlFlag'.csize
    val cstopb = ControlFlag'.cstopb
    val cread = ControlFlag'.cread
    val parenb = ControlFlag'.parenb
    val parodd = ControlFlag'.parodd
    val hupcl = ControlFlag'.hupcl
    val clocal = ControlFlag'.clocal
  end

  structure L =
  struct
    open BitFlags'
    val isig = LocalFlag'.isig
    val icanon = LocalFlag'.icanon
    val echo = LocalFlag'.echo
    val echoe = LocalFlag'.echoe
    val echok = LocalFlag'.echok
    val echonl = LocalFlag'.echonl
    val noflsh = LocalFlag'.noflsh
    val tostop = LocalFlag'.tostop
    val iexten = LocalFlag'.iexten
  end

  (* On all systems the numbers of the speeds are in their order. *)
  type speed = word
  val compareSpeed = Word.compare
  fun speedToWord s = s
  fun wordToSpeed w = w
  val b0 = Speed'.b0
  val b50 = Speed'.b50
  val b75 = Speed'.b75
  val b110 = Speed'.b110
  val b134 = Speed'.b134
  val b150 = Speed'.b150
  val b200 = Speed'.b200
  val b300 = Speed'.b300
  val b600 = Speed'.b600
  val b1200 = Speed'.b1200
  val b1800 = Speed'.b1800
  val b2400 = Speed'.b2400
  val b4800 = Speed'.b4800
  val b9600 = Speed'.b9600
  val b19200 = Speed'.b19200
  val b38400 = Speed'.b38400

  type termios =
    {iflag : I.flags,
     oflag : O.flags,
     cflag : C.flags,
     lflag : L.flags,
     cc : V.cc,
     ispeed : speed,
     ospeed : speed}
  fun termios (t : termios) = t
  fun fieldsOf (t : termios) = t
  fun getiflag (t : termios) = #iflag t
  fun getoflag (t : termios) = #oflag t
  fun getcflag (t : termios) = #cflag t
  fun getlflag (t : termios) = #lflag t
  fun getcc (t : termios) = #cc t

  structure CF =
  struct
    fun getospeed (t : termios) = #ospeed t
    fun getispeed (t : termios) = #ispeed t
    fun setospeed ({iflag, oflag, cflag, lflag, cc, ispeed, ...} : termios, ospeed) : termios =
      {iflag = iflag,
       oflag = oflag,
       cflag = cflag,
       lflag = lflag,
       cc = cc,
       ispeed = ispeed,
       ospeed = ospeed}
    fun setispeed ({iflag, oflag, cflag, lflag, cc, ospeed, ...} : termios, ispeed) : termios =
      {iflag = iflag,
       oflag = oflag,
       cflag = cflag,
       lflag = lflag,
       cc = cc,
       ispeed = ispeed,
       ospeed = ospeed}
  end

  structure TC =
  struct
    type set_action = int
    val sanow = TerminalAction'.sanow
    val sadrain = TerminalAction'.sadrain
    val saflush = TerminalAction'.saflush
    type flow_action = int
    val ooff = TerminalAction'.ooff
    val oon = TerminalAction'.oon
    val ioff = TerminalAction'.ioff
    val ion = TerminalAction'.ion
    type queue_sel = int
    val iflush = TerminalAction'.iflush
    val oflush = TerminalAction'.oflush
    val ioflush = TerminalAction'.ioflush

    local
      val get = PrimTerminals'.tty_get
      val set = PrimTerminals'.tty_set
      val control = PrimTerminals'.tty_control
      val sendBreak = 0
      val flushQueue = 1
      val setFlow = 2
      val foreground = 3
      val setForeground = 4
      (* flags of input, output, line and local modes, two speeds, then the control characters *)
      val first = 6
      val int = BitFlags'.int
    in
      fun getattr fd =
        let
          val a = Array.array (first + V.nccs, 0)
          val () = Error'.done (get (fd, a))
          fun word i = Word.fromInt (Array.sub (a, i))
        in
          {iflag = word 0,
           oflag = word 1,
           cflag = word 2,
           lflag = word 3,
           ispeed = word 4,
           ospeed = word 5,
           cc = CharVector.tabulate (V.nccs, fn i => Char.chr (Array.sub (a, first + i)))}
        end
      fun setattr (fd, action, {iflag, oflag, cflag, lflag, cc, ispeed, ospeed} : termios) =
        let
          val words = List.map int [iflag, oflag, cflag, lflag, ispeed, ospeed]
          val a = Array.fromList (words @ List.map Char.ord (String.explode cc))
        in
          Error'.done (set (fd, action, a))
        end
      fun sendbreak (fd, length) = Error'.done (control (sendBreak, fd, length))
      fun drain fd = Error'.done (#1 (Job'.run (Job'.drain, "", fd, 0)))
      fun flush (fd, queue) = Error'.done (control (flushQueue, fd, queue))
      fun flow (fd, action) = Error'.done (control (setFlow, fd, action))
      fun getpgrp fd = Error'.check (control (foreground, fd, 0))
      fun setpgrp (fd, group) = Error'.done (control (setForeground, fd, group))
    end
  end
end
