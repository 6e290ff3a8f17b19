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
    val intr = 0
    val quit = 1
    val erase = 2
    val kill = 3
    val eof = 4
    val time = 5
    val min = 6
    val start = 8
    val stop = 9
    val susp = 10
    val eol = 11
    val nccs = 32

    type cc = CharVector.vector
    fun update (cc, changes) = List.foldl (fn ((i, c), cc) => CharVector.update (cc, i, c)) cc changes
    fun cc places = update (CharVector.tabulate (nccs, fn _ => #"\000"), places)
    val sub = CharVector.sub
  end

  structure I =
  struct
    open BitFlags'
    val ignbrk = 0wx1
    val brkint = 0wx2
    val ignpar = 0wx4
    val parmrk = 0wx8
    val inpck = 0wx10
    val istrip = 0wx20
    val inlcr = 0wx40
    val igncr = 0wx80
    val icrnl = 0wx100
    val ixon = 0wx400
    val ixoff = 0wx1000
  end

  structure O =
  struct
    open BitFlags'
    val opost = 0wx1
  end

  structure C =
  struct
    open BitFlags'
    val cs5 = 0wx0
    val cs6 = 0wx10
    val cs7 = 0wx20
    val cs8 = 0wx30
    val csize = 0wx30
    val cstopb = 0wx40
    val cread = 0wx80
    val parenb = 0wx100
    val parodd = 0wx200
    val hupcl = 0wx400
    val clocal = 0wx800
  end

  structure L =
  struct
    open BitFlags'
    val isig = 0wx1
    val icanon = 0wx2
    val echo = 0wx8
    val echoe = 0wx10
    val echok = 0wx20
    val echonl = 0wx40
    val noflsh = 0wx80
    val tostop = 0wx100
    val iexten = 0wx8000
  end

  (* The system numbers the speeds in their order. *)
  type speed = word
  val compareSpeed = Word.compare
  fun speedToWord s = s
  fun wordToSpeed w = w
  val b0 = 0w0
  val b50 = 0w1
  val b75 = 0w2
  val b110 = 0w3
  val b134 = 0w4
  val b150 = 0w5
  val b200 = 0w6
  val b300 = 0w7
  val b600 = 0w8
  val b1200 = 0w9
  val b1800 = 0w10
  val b2400 = 0w11
  val b4800 = 0w12
  val b9600 = 0w13
  val b19200 = 0w14
  val b38400 = 0w15

  type termios =
    {iflag : I.flags, oflag : O.flags, cflag : C.flags, lflag : L.flags, cc : V.cc, ispeed : speed, ospeed : speed}
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
      {iflag = iflag, oflag = oflag, cflag = cflag, lflag = lflag, cc = cc, ispeed = ispeed, ospeed = ospeed}
    fun setispeed ({iflag, oflag, cflag, lflag, cc, ospeed, ...} : termios, ispeed) : termios =
      {iflag = iflag, oflag = oflag, cflag = cflag, lflag = lflag, cc = cc, ispeed = ispeed, ospeed = ospeed}
  end

  structure TC =
  struct
    type set_action = int
    val sanow = 0
    val sadrain = 1
    val saflush = 2
    type flow_action = int
    val ooff = 0
    val oon = 1
    val ioff = 2
    val ion = 3
    type queue_sel = int
    val iflush = 0
    val oflush = 1
    val ioflush = 2

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
          {iflag = word 0, oflag = word 1, cflag = word 2, lflag = word 3, ispeed = word 4, ospeed = word 5,
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
