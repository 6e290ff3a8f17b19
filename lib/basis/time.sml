(* Time, Timer: durations and moments in nanoseconds of 64 bits, from the year 1677 to 2262, 292 years long at most; Timer
   runs on the monotonic clock. *)

signature TIME =
sig
  eqtype time
  exception Time

  (* No time; as a time of the day, the start of 1970, UTC. *)
  val zeroTime : time
  (* So many seconds. Raises Time when the result does not fit. *)
  val fromReal : LargeReal.real -> time
  (* The time in seconds. *)
  val toReal : time -> LargeReal.real
  (* The whole seconds of it, rounded to zero. *)
  val toSeconds : time -> LargeInt.int
  (* The whole milliseconds of it, rounded to zero. *)
  val toMilliseconds : time -> LargeInt.int
  (* The whole microseconds of it, rounded to zero. *)
  val toMicroseconds : time -> LargeInt.int
  (* The time in nanoseconds. *)
  val toNanoseconds : time -> LargeInt.int
  (* So many seconds; they may be negative. Raises Time when the result does not fit. *)
  val fromSeconds : LargeInt.int -> time
  (* So many milliseconds. Raises Time when the result does not fit. *)
  val fromMilliseconds : LargeInt.int -> time
  (* So many microseconds. Raises Time when the result does not fit. *)
  val fromMicroseconds : LargeInt.int -> time
  (* So many nanoseconds. Raises Time when the result does not fit. *)
  val fromNanoseconds : LargeInt.int -> time
  (* The sum. Raises Time when it does not fit. *)
  val + : time * time -> time
  (* The difference, which may be negative. Raises Time when it does not fit. *)
  val - : time * time -> time
  (* The order of two times. *)
  val compare : time * time -> order
  (* Whether the first time is less than the second one. *)
  val < : time * time -> bool
  (* Whether the first time is less than the second one or equal. *)
  val <= : time * time -> bool
  (* Whether the first time is greater than the second one. *)
  val > : time * time -> bool
  (* Whether the first time is greater than the second one or equal. *)
  val >= : time * time -> bool
  (* The time of the day: since the start of 1970, UTC. *)
  val now : unit -> time
  (* Seconds with so many digits after the point, rounded; no point for 0 digits. Raises Size when that is negative. *)
  val fmt : int -> time -> string
  (* Seconds with three digits after the point. *)
  val toString : time -> string
  (* Reads seconds, with or without a fraction, after white space. NONE when there are none; raises Time when they do
     not fit. *)
  val scan : (char, 'a) StringCvt.reader -> (time, 'a) StringCvt.reader
  (* Reads seconds from the start, after white space; what follows does not matter. NONE when there are none. *)
  val fromString : string -> time option
end

structure Time :> TIME =
struct
  (* nanoseconds *)
  type time = int
  exception Time

  fun checked f = f () handle Overflow => raise Time

  val zeroTime = 0
  fun fromReal s = Real.round (s * 1E9) handle Overflow => raise Time | Domain => raise Time
  fun toReal t = real t / 1E9
  fun toSeconds t = Int.toLarge (Int.quot (t, 1000000000))
  fun toMilliseconds t = Int.toLarge (Int.quot (t, 1000000))
  fun toMicroseconds t = Int.toLarge (Int.quot (t, 1000))
  val toNanoseconds = Int.toLarge
  fun fromSeconds i = checked (fn () => Int.fromLarge i * 1000000000)
  fun fromMilliseconds i = checked (fn () => Int.fromLarge i * 1000000)
  fun fromMicroseconds i = checked (fn () => Int.fromLarge i * 1000)
  fun fromNanoseconds i = checked (fn () => Int.fromLarge i)

  val now = PrimClock'.time_now

  fun fmt digits t =
    let
      val digits = if digits < 0 then raise Size else digits
      (* rounded to the digits shown; nine are all there are *)
      fun power 0 = 0w1 : word
        | power n = 0w10 * power (n - 1)
      val shown = Int.min (digits, 9)
      val unit = power (9 - shown)
      (* a word: the least time has no positive counterpart, and half a unit more than the greatest is no int *)
      val size = if t < 0 then Word.~ (Word.fromInt t) else Word.fromInt t
      val scaled = (size + unit div 0w2) div unit
      val whole = Word.toInt (scaled div power shown)
      val fraction = Word.toInt (scaled mod power shown)
      val sign = if t < 0 andalso scaled > 0w0 then "~" else ""
    in
      if digits = 0 then sign ^ Int.toString whole
      else
        sign
        ^ Int.toString whole
        ^ "."
        ^ StringCvt.padRight #"0" digits (StringCvt.padLeft #"0" shown (Int.toString fraction))
    end
  fun toString t = fmt 3 t

  fun scan getc src =
    let
      fun digits (src, n, acc) =
        case getc src of
          SOME (c, rest) =>
            if Char.isDigit c then
              digits (rest, n + 1, acc * 10 + (ord c - 48) handle Overflow => raise Time)
            else (src, n, acc)
        | NONE => (src, n, acc)
      fun sign src =
        case getc src of
          SOME (#"~", rest) => (true, rest)
        | SOME (#"-", rest) => (true, rest)
        | SOME (#"+", rest) => (false, rest)
        | _ => (false, src)
      (* nine digits after the point *)
      fun fraction (src, place, acc) =
        case getc src of
          SOME (c, rest) =>
            if Char.isDigit c then fraction (rest, place div 10, acc + place * (ord c - 48))
            else (src, acc)
        | NONE => (src, acc)
      val (negative, src) = sign (StringCvt.skipWS getc src)
      val (rest, n, whole) = digits (src, 0, 0)
      fun startsFraction src =
        case getc src of
          SOME (#".", rest) =>
            (case getc rest of
               SOME (c, _) => if Char.isDigit c then SOME rest else NONE
             | NONE => NONE)
        | _ => NONE
      (* the least time is further from zero than the greatest *)
      fun time nanos =
        checked (fn () =>
          if negative then ~ whole * 1000000000 - nanos else whole * 1000000000 + nanos)
    in
      case startsFraction rest of
        SOME rest =>
          let val (rest, nanos) = fraction (rest, 100000000, 0) in SOME (time nanos, rest) end
      | NONE => if n = 0 then NONE else SOME (time 0, rest)
    end
  fun fromString s = StringCvt.scanString scan s

  fun compare (a : time, b) = Int.compare (a, b)
  val op < = Int.<
  val op <= = Int.<=
  val op > = Int.>
  val op >= = Int.>=
  fun a + b = Int.+ (a, b) handle Overflow => raise Time
  fun a - b = Int.- (a, b) handle Overflow => raise Time
end

(* Time as nanoseconds in an int. For the library. *)
structure TimePrim' =
struct
  val toNanos = PrimWords'.bits : Time.time -> int
  val ofNanos = PrimWords'.bits : int -> Time.time

  (* The moment on the monotonic clock so long from now; the last one that there is when that is further away (292 years
     after the system's start). Whatever waits for a time asks here. *)
  fun deadline time =
    let
      val now = PrimClock'.time_monotonic ()
    in
      now + toNanos time handle Overflow => valOf Int.maxInt
    end

  (* Whole seconds, rounded up, for calls of the system that know no parts of seconds: the shortest time is not none. *)
  fun wholeSeconds time =
    let
      val t = toNanos time
      val s = Int.quot (t, 1000000000)
    in
      if s * 1000000000 < t then s + 1 else s
    end
end

signature TIMER =
sig
  type cpu_timer
  type real_timer

  (* A timer of the processor time that the program uses from now on. *)
  val startCPUTimer : unit -> cpu_timer
  (* User and system time since the timer's start, the collector's included. *)
  val checkCPUTimer : cpu_timer -> {usr : Time.time, sys : Time.time}
  (* User and system time since the timer's start: the program's own, and the collector's. *)
  val checkCPUTimes :
    cpu_timer
    -> {nongc : {usr : Time.time, sys : Time.time}, gc : {usr : Time.time, sys : Time.time}}
  (* The collector's user time since the timer's start. *)
  val checkGCTime : cpu_timer -> Time.time
  (* A timer of the processor time since the program's start. *)
  val totalCPUTimer : unit -> cpu_timer
  (* A timer of the time that passes from now on. *)
  val startRealTimer : unit -> real_timer
  (* The time that has passed since the timer's start. *)
  val checkRealTimer : real_timer -> Time.time
  (* A timer of the time that passes since the program's start. *)
  val totalRealTimer : unit -> real_timer
end

structure Timer :> TIMER =
struct
  (* the collector's part of both besides *)
  type cpu_timer = {usr : int, sys : int, gcUsr : int, gcSys : int}
  type real_timer = int

  val userTime = PrimClock'.time_user
  val systemTime = PrimClock'.time_system
  (* processor time of the collector: 0 user, 1 system *)
  val gcTime = PrimClock'.time_gc
  val monotonic = PrimClock'.time_monotonic

  val start = monotonic ()
  val nanos = TimePrim'.ofNanos

  fun startCPUTimer () =
    {usr = userTime (), sys = systemTime (), gcUsr = gcTime 0, gcSys = gcTime 1}
  fun totalCPUTimer () = {usr = 0, sys = 0, gcUsr = 0, gcSys = 0}
  fun checkCPUTimer ({usr, sys, ...} : cpu_timer) =
    {usr = nanos (userTime () - usr), sys = nanos (systemTime () - sys)}
  fun checkGCTime ({gcUsr, ...} : cpu_timer) = nanos (gcTime 0 - gcUsr)
  fun checkCPUTimes ({usr, sys, gcUsr, gcSys} : cpu_timer) =
    let
      (* first, so that no part is more than the whole *)
      val (gu, gs) = (gcTime 0 - gcUsr, gcTime 1 - gcSys)
      fun rest (all, part) = nanos (Int.max (0, all - part))
    in
      {nongc = {usr = rest (userTime () - usr, gu), sys = rest (systemTime () - sys, gs)},
       gc = {usr = nanos gu, sys = nanos gs}}
    end

  fun startRealTimer () = monotonic ()
  fun totalRealTimer () = start
  fun checkRealTimer since = nanos (monotonic () - since)
end
