(* Numbers of the system and of the runtime, by name.

   Written from runtime/entry/src/constants.rs: LEAT_BLESS=1 does it. *)

(* The system's error numbers. *)
structure ErrorNumber' =
struct
  val perm = 1
  val noent = 2
  val srch = 3
  val intr = 4
  val io = 5
  val nxio = 6
  val toobig = 7
  val noexec = 8
  val badf = 9
  val child = 10
  val again = 11
  val nomem = 12
  val acces = 13
  val fault = 14
  val notblk = 15
  val busy = 16
  val exist = 17
  val xdev = 18
  val nodev = 19
  val notdir = 20
  val isdir = 21
  val inval = 22
  val nfile = 23
  val mfile = 24
  val notty = 25
  val txtbsy = 26
  val fbig = 27
  val nospc = 28
  val spipe = 29
  val rofs = 30
  val mlink = 31
  val pipe = 32
  val dom = 33
  val range = 34
  val deadlock = 35
  val nametoolong = 36
  val nolck = 37
  val nosys = 38
  val notempty = 39
  val loop = 40
  val nomsg = 42
  val idrm = 43
  val chrng = 44
  val l2nsync = 45
  val l3hlt = 46
  val l3rst = 47
  val lnrng = 48
  val unatch = 49
  val nocsi = 50
  val l2hlt = 51
  val bade = 52
  val badr = 53
  val xfull = 54
  val noano = 55
  val badrqc = 56
  val badslt = 57
  val bfont = 59
  val nostr = 60
  val nodata = 61
  val time = 62
  val nosr = 63
  val nonet = 64
  val nopkg = 65
  val remote = 66
  val nolink = 67
  val adv = 68
  val srmnt = 69
  val comm = 70
  val proto = 71
  val multihop = 72
  val dotdot = 73
  val badmsg = 74
  val overflow = 75
  val notuniq = 76
  val badfd = 77
  val remchg = 78
  val libacc = 79
  val libbad = 80
  val libscn = 81
  val libmax = 82
  val libexec = 83
  val ilseq = 84
  val restart = 85
  val strpipe = 86
  val users = 87
  val notsock = 88
  val destaddrreq = 89
  val msgsize = 90
  val prototype = 91
  val noprotoopt = 92
  val protonosupport = 93
  val socktnosupport = 94
  val notsup = 95
  val pfnosupport = 96
  val afnosupport = 97
  val addrinuse = 98
  val addrnotavail = 99
  val netdown = 100
  val netunreach = 101
  val netreset = 102
  val connaborted = 103
  val connreset = 104
  val nobufs = 105
  val isconn = 106
  val notconn = 107
  val shutdown = 108
  val toomanyrefs = 109
  val timedout = 110
  val connrefused = 111
  val hostdown = 112
  val hostunreach = 113
  val already = 114
  val inprogress = 115
  val stale = 116
  val uclean = 117
  val notnam = 118
  val navail = 119
  val isnam = 120
  val remoteio = 121
  val dquot = 122
  val nomedium = 123
  val mediumtype = 124
  val canceled = 125
  val nokey = 126
  val keyexpired = 127
  val keyrevoked = 128
  val keyrejected = 129
  val ownerdead = 130
  val notrecoverable = 131
  val rfkill = 132

  fun names () =
    [("perm", perm),
     ("noent", noent),
     ("srch", srch),
     ("intr", intr),
     ("io", io),
     ("nxio", nxio),
     ("2big", toobig),
     ("noexec", noexec),
     ("badf", badf),
     ("child", child),
     ("again", again),
     ("nomem", nomem),
     ("acces", acces),
     ("fault", fault),
     ("notblk", notblk),
     ("busy", busy),
     ("exist", exist),
     ("xdev", xdev),
     ("nodev", nodev),
     ("notdir", notdir),
     ("isdir", isdir),
     ("inval", inval),
     ("nfile", nfile),
     ("mfile", mfile),
     ("notty", notty),
     ("txtbsy", txtbsy),
     ("fbig", fbig),
     ("nospc", nospc),
     ("spipe", spipe),
     ("rofs", rofs),
     ("mlink", mlink),
     ("pipe", pipe),
     ("dom", dom),
     ("range", range),
     ("deadlock", deadlock),
     ("nametoolong", nametoolong),
     ("nolck", nolck),
     ("nosys", nosys),
     ("notempty", notempty),
     ("loop", loop),
     ("nomsg", nomsg),
     ("idrm", idrm),
     ("chrng", chrng),
     ("l2nsync", l2nsync),
     ("l3hlt", l3hlt),
     ("l3rst", l3rst),
     ("lnrng", lnrng),
     ("unatch", unatch),
     ("nocsi", nocsi),
     ("l2hlt", l2hlt),
     ("bade", bade),
     ("badr", badr),
     ("xfull", xfull),
     ("noano", noano),
     ("badrqc", badrqc),
     ("badslt", badslt),
     ("bfont", bfont),
     ("nostr", nostr),
     ("nodata", nodata),
     ("time", time),
     ("nosr", nosr),
     ("nonet", nonet),
     ("nopkg", nopkg),
     ("remote", remote),
     ("nolink", nolink),
     ("adv", adv),
     ("srmnt", srmnt),
     ("comm", comm),
     ("proto", proto),
     ("multihop", multihop),
     ("dotdot", dotdot),
     ("badmsg", badmsg),
     ("overflow", overflow),
     ("notuniq", notuniq),
     ("badfd", badfd),
     ("remchg", remchg),
     ("libacc", libacc),
     ("libbad", libbad),
     ("libscn", libscn),
     ("libmax", libmax),
     ("libexec", libexec),
     ("ilseq", ilseq),
     ("restart", restart),
     ("strpipe", strpipe),
     ("users", users),
     ("notsock", notsock),
     ("destaddrreq", destaddrreq),
     ("msgsize", msgsize),
     ("prototype", prototype),
     ("noprotoopt", noprotoopt),
     ("protonosupport", protonosupport),
     ("socktnosupport", socktnosupport),
     ("notsup", notsup),
     ("pfnosupport", pfnosupport),
     ("afnosupport", afnosupport),
     ("addrinuse", addrinuse),
     ("addrnotavail", addrnotavail),
     ("netdown", netdown),
     ("netunreach", netunreach),
     ("netreset", netreset),
     ("connaborted", connaborted),
     ("connreset", connreset),
     ("nobufs", nobufs),
     ("isconn", isconn),
     ("notconn", notconn),
     ("shutdown", shutdown),
     ("toomanyrefs", toomanyrefs),
     ("timedout", timedout),
     ("connrefused", connrefused),
     ("hostdown", hostdown),
     ("hostunreach", hostunreach),
     ("already", already),
     ("inprogress", inprogress),
     ("stale", stale),
     ("uclean", uclean),
     ("notnam", notnam),
     ("navail", navail),
     ("isnam", isnam),
     ("remoteio", remoteio),
     ("dquot", dquot),
     ("nomedium", nomedium),
     ("mediumtype", mediumtype),
     ("canceled", canceled),
     ("nokey", nokey),
     ("keyexpired", keyexpired),
     ("keyrevoked", keyrevoked),
     ("keyrejected", keyrejected),
     ("ownerdead", ownerdead),
     ("notrecoverable", notrecoverable),
     ("rfkill", rfkill)]
end

(* What a primitive gives for some of them. *)
structure ErrorResult' =
struct
  val again = ~11
  val acces = ~13
  val badf = ~9
  val inprogress = ~115
end

(* Signals. *)
structure SignalNumber' =
struct
  val abrt = 6
  val alrm = 14
  val bus = 7
  val fpe = 8
  val hup = 1
  val ill = 4
  val int = 2
  val kill = 9
  val pipe = 13
  val quit = 3
  val segv = 11
  val term = 15
  val usr1 = 10
  val usr2 = 12
  val chld = 17
  val cont = 18
  val stop = 19
  val tstp = 20
  val ttin = 21
  val ttou = 22
  val urg = 23
  val vtalrm = 26
  val winch = 28
  val io = 29
  val poll = 29
  val prof = 27
end

(* Flags of open and fcntl. *)
structure OpenFlag' =
struct
  val rdonly = 0wx0
  val wronly = 0wx1
  val rdwr = 0wx2
  val accmode = 0wx3
  val creat = 0wx40
  val append = 0wx400
  val excl = 0wx80
  val noctty = 0wx100
  val nonblock = 0wx800
  val sync = 0wx101000
  val trunc = 0wx200
end

(* What TextIO and BinIO open files with. *)
structure OpenMode' =
struct
  val read = 0
  val writeNew = 577
  val append = 1089
  val everybody = 438
end

(* Permissions of files. *)
structure FileMode' =
struct
  val irwxu = 0wx1c0
  val irusr = 0wx100
  val iwusr = 0wx80
  val ixusr = 0wx40
  val irwxg = 0wx38
  val irgrp = 0wx20
  val iwgrp = 0wx10
  val ixgrp = 0wx8
  val irwxo = 0wx7
  val iroth = 0wx4
  val iwoth = 0wx2
  val ixoth = 0wx1
  val isuid = 0wx800
  val isgid = 0wx400
end

(* Kinds of files; `unit` is what a mode is divided by for them. *)
structure FileKind' =
struct
  val unit = 4096
  val fifo = 4096
  val characterDevice = 8192
  val directory = 16384
  val blockDevice = 24576
  val regular = 32768
  val link = 40960
  val socket = 49152
end

(* What access asks. *)
structure AccessMode' =
struct
  val read = 4
  val write = 2
  val execute = 1
end

(* Where seek counts from. *)
structure Whence' =
struct
  val set = 0
  val current = 1
  val end' = 2
end

(* Commands of fcntl. *)
structure Fcntl' =
struct
  val dupfd = 0
  val getfd = 1
  val setfd = 2
  val getfl = 3
  val setfl = 4
end

(* Flags of descriptors. *)
structure DescriptorFlag' =
struct
  val cloexec = 0wx1
end

(* Flags of waitpid. *)
structure WaitFlag' =
struct
  val untraced = 0wx2
end

(* What a descriptor is polled for. *)
structure PollEvent' =
struct
  val input = 1
  val urgent = 2
  val output = 4
end

(* Control characters of a terminal: where they stand, and how many there are. *)
structure ControlCharacter' =
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
  val count = 32
end

(* Modes of a terminal: input. *)
structure InputFlag' =
struct
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

(* Output. *)
structure OutputFlag' =
struct
  val opost = 0wx1
end

(* Lines. *)
structure ControlFlag' =
struct
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

(* Local. *)
structure LocalFlag' =
struct
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

(* Speeds. *)
structure Speed' =
struct
  val b0 = 0wx0
  val b50 = 0wx1
  val b75 = 0wx2
  val b110 = 0wx3
  val b134 = 0wx4
  val b150 = 0wx5
  val b200 = 0wx6
  val b300 = 0wx7
  val b600 = 0wx8
  val b1200 = 0wx9
  val b1800 = 0wxa
  val b2400 = 0wxb
  val b4800 = 0wxc
  val b9600 = 0wxd
  val b19200 = 0wxe
  val b38400 = 0wxf
end

(* When and what tcsetattr, tcflow and tcflush do. *)
structure TerminalAction' =
struct
  val sanow = 0
  val sadrain = 1
  val saflush = 2
  val ooff = 0
  val oon = 1
  val ioff = 2
  val ion = 3
  val iflush = 0
  val oflush = 1
  val ioflush = 2
end

(* Address families. *)
structure AddressFamily' =
struct
  val unix = 1
  val inet = 2
  val inet6 = 10
end

(* Kinds of sockets. *)
structure SocketKind' =
struct
  val stream = 1
  val dgram = 2
  val raw = 3
  val seqPacket = 5
end

(* Options of sockets, and their level. *)
structure SocketOption' =
struct
  val level = 1
  val debug = 1
  val reuseAddress = 2
  val keepAlive = 9
  val dontRoute = 5
  val broadcast = 6
  val oobInline = 10
  val sendBuffer = 7
  val receiveBuffer = 8
  val error = 4
  val kind = 3
  val linger = 13
end

(* Flags of send and recv. *)
structure MessageFlag' =
struct
  val oob = 1
  val peek = 2
  val dontRoute = 4
end

(* What shutdown ends. *)
structure Shutdown' =
struct
  val receives = 0
  val sends = 1
  val both = 2
end

(* Kinds of jobs, see `job_start`. *)
structure JobKind' =
struct
  val shell = 0
  val child = 1
  val addresses = 2
  val hostName = 3
  val open' = 4
  val lock = 5
  val drain = 6
  val sync = 8
end

(* Why a thread is parked, for reports. *)
structure ParkReason' =
struct
  val unknown = 0
  val send = 1
  val receive = 2
  val sleep = 3
  val read = 4
  val write = 5
  val choose = 6
  val join = 7
  val variable = 8
  val mailbox = 9
  val lock = 10
  val barrier = 11
  val process = 12
  val stream = 13
  val room = 17
  val permit = 19
end

(* What the stamp of a thread says that ends. *)
structure ThreadStamp' =
struct
  val ending = 4611686018427387903
end

(* What `gc_collect` does. *)
structure Collection' =
struct
  val minor = 0
  val major = 1
  val full = 2
  val pack = ~1
end

(* What `gc_stat` answers. *)
structure HeapFigure' =
struct
  val live = 0
  val allocated = 1
  val minors = 2
  val majors = 3
  val size = 4
  val peak = 5
  val minorNanoseconds = 6
  val majorNanoseconds = 7
  val logged = 8
  val promoted = 9
  val marked = 10
  val mostLive = 11
end

(* What `gc_set` sets. *)
structure HeapSetting' =
struct
  val pause = 0
  val spend = 1
  val soft = 2
end

(* What `thread_stat` answers. *)
structure ThreadFigure' =
struct
  val alive = 0
  val switches = 1
  val evictions = 2
  val steals = 3
  val lanes = 4
  val workers = 5
  val preemptions = 6
  val wanted = 7
  val depth = 8
  val others = 9
end

(* What `debug_profile` begins. *)
structure Measured' =
struct
  val time = 0
  val allocation = 1
  val waiting = 2
  val trace = 3
end

(* What `io_stat` answers. *)
structure IOFigure' =
struct
  val descriptors = 0
  val waiters = 1
  val pool = 2
  val jobs = 3
  val timers = 4
end

(* What `process_id` answers. *)
structure ProcessNumber' =
struct
  val id = 0
  val parent = 1
  val user = 2
  val effectiveUser = 3
  val group = 4
  val effectiveGroup = 5
  val processGroup = 6
  val session = 7
  val osThread = 8
end
