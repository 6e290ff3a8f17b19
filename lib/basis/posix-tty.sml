(* Posix.TTY, and the flags that all of Posix uses. Numbers are those of Linux. *)

structure BitFlags' =
struct
  type flags = word
  fun toWord f = f
  fun fromWord w = w
  val all = Word.notb 0w0
  fun flags l = List.foldl Word.orb 0w0 l
  fun intersect l = List.foldl Word.andb all l
  fun clear (f, g) = Word.andb (Word.notb f, g)
  fun allSet (f, g) = Word.andb (f, g) = f
  fun anySet (f, g) = Word.andb (f, g) <> 0w0
  val int = Word.toIntX
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
      val int = Word.toInt
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
