(* SMLofNJ, Unsafe: the parts of SML/NJ's own structures that old programs use. *)

signature UNSAFE_VECTOR =
sig
  (* the element there *)
  val sub : 'a vector * int -> 'a
  (* so many elements, from the list *)
  val create : int * 'a list -> 'a vector
end

signature UNSAFE_ARRAY =
sig
  (* the element there *)
  val sub : 'a array * int -> 'a
  (* makes the value the element there *)
  val update : 'a array * int * 'a -> unit
  (* so many elements, all of them the value *)
  val create : int * 'a -> 'a array
end

(* what `create` makes has any contents *)
signature UNSAFE_MONO_VECTOR =
sig
  type vector
  type elem
  (* the element there *)
  val sub : vector * int -> elem
  (* changes the vector itself: for one that nobody else has seen *)
  val update : vector * int * elem -> unit
  (* a vector of so many elements *)
  val create : int -> vector
end

signature UNSAFE_MONO_ARRAY =
sig
  type array
  type elem
  (* the element there *)
  val sub : array * int -> elem
  (* makes the value the element there *)
  val update : array * int * elem -> unit
  (* an array of so many elements *)
  val create : int -> array
end

(* What variables on which threads wait are made of, as lib/light/own.sml does. *)
signature UNSAFE_WAIT =
sig
  (* the running thread, which is about to wait: what stands in a cell until another thread wakes it *)
  val waiter : unit -> Thread.thread
  (* Blocks the running thread until another one wakes it, after `waiter`; gives the value that is left for it, which must
     have the type that is waited for. A wake-up that comes before is not lost, and one that is somebody else's is not taken
     for this. *)
  val await : unit -> 'a
  (* wakes the thread, and leaves the value for it: once for each `waiter` *)
  val wake : Thread.thread * 'a -> unit
  (* likewise, a thread that waits for no value *)
  val wakeEmpty : Thread.thread -> unit
  (* the contents of a cell by which threads are ordered *)
  val look : 'a ref -> 'a
  (* The contents of a cell become the last argument, if they are still the middle one, the very same object: in one step,
     on whatever workers its users run. With one worker it is a comparison and a store. *)
  val swap : 'a ref * 'a * 'a -> bool
end

(* the bits of a real *)
signature UNSAFE_REAL64 =
sig
  (* the bits of the real, as IEEE 754 lays them out *)
  val castToWord : Real64.real -> Word64.word
  (* the real that has these bits *)
  val castFromWord : Word64.word -> Real64.real
end

(* places and types are not checked *)
signature UNSAFE =
sig
  (* the same word or object, as a value of any type *)
  val cast : 'a -> 'b
  structure Vector : UNSAFE_VECTOR
  structure Array : UNSAFE_ARRAY
  structure CharVector : UNSAFE_MONO_VECTOR
    where type vector = CharVector.vector
    where type elem = char
  structure CharArray : UNSAFE_MONO_ARRAY where type array = CharArray.array where type elem = char
  structure Word8Vector : UNSAFE_MONO_VECTOR
    where type vector = Word8Vector.vector
    where type elem = Word8.word
  structure Word8Array : UNSAFE_MONO_ARRAY
    where type array = Word8Array.array
    where type elem = Word8.word
  structure Real64Array : UNSAFE_MONO_ARRAY
    where type array = Real64Array.array
    where type elem = real
  structure Real64 : UNSAFE_REAL64
  structure Wait : UNSAFE_WAIT
  (* the bits of a real, as Real64.castToWord *)
  val realToBits : real -> Word64.word
  (* A place for one value that all parts of a program see; before the first `setVar` it has none, and `getVar` raises Fail.
   * What is read must have the type of what was set. *)
  val getVar : unit -> 'a
  (* sets that value, instead of an older one *)
  val setVar : 'a -> unit
  (* As many such places as there are numbers from 0 to 15, else Subscript. *)
  val getPseudo : int -> 'a
  (* sets the value of the place of that number *)
  val setPseudo : 'a * int -> unit
end

structure Unsafe : UNSAFE =
struct
  val cast = PrimArrays'.cast : 'a -> 'b
  structure Wait = Await'
  structure Real64 =
  struct
    fun castToWord x = Word64.fromLarge (Word.toLarge (PrimReals'.real_to_bits x))
    fun castFromWord w = PrimReals'.real_of_bits (Word.fromLarge (Word64.toLarge w))
  end
  val realToBits = Real64.castToWord

  structure Vector =
  struct
    val sub = PrimArrays'.vector_sub_unsafe : 'a vector * int -> 'a
    fun create (n, l) =
      let
        val a = ArrayPrim'.unsafeNew n
        fun fill (_, []) = ()
          | fill (i, x :: rest) =
              if i < n then (ArrayPrim'.unsafeUpdate (a, i, x); fill (i + 1, rest)) else ()
      in
        fill (0, l);
        ArrayPrim'.freeze a
      end
  end
  structure Array =
  struct
    val sub = PrimArrays'.array_sub_unsafe : 'a array * int -> 'a
    val update = PrimArrays'.array_update_unsafe : 'a array * int * 'a -> unit
    val create = PrimArrays'.array_new : int * 'a -> 'a array
  end
  structure CharVector =
  struct
    type vector = string
    type elem = char
    val sub = PrimStrings'.string_sub_unsafe
    fun update (s, i, c) = PrimArrays'.array_update_unsafe (PrimArrays'.cast s : char array, i, c)
    local
      val new = PrimArrays'.array_new_uninit : int -> char array
      val freeze = PrimArrays'.cast : char array -> string
    in
      fun create n = freeze (new n)
    end
  end
  structure CharArray =
  struct
    type array = char array
    type elem = char
    val sub = PrimArrays'.array_sub_unsafe : array * int -> char
    val update = PrimArrays'.array_update_unsafe : array * int * char -> unit
    val create = PrimArrays'.array_new_uninit : int -> array
  end
  structure Word8Vector =
  struct
    type vector = Word8Vector.vector
    type elem = Word8.word
    val sub = PrimArrays'.vector_sub_unsafe : Word8Vector.vector * int -> Word8.word
    fun update (v, i, w) =
      PrimArrays'.array_update_unsafe (PrimArrays'.cast v : Word8.word array, i, w)
    local
      val new = PrimArrays'.array_new_uninit : int -> Word8Array.array
      val freeze = PrimArrays'.cast : Word8Array.array -> Word8Vector.vector
    in
      fun create n = freeze (new n)
    end
  end
  structure Word8Array =
  struct
    type array = Word8Array.array
    type elem = Word8.word
    val sub = PrimArrays'.array_sub_unsafe : array * int -> Word8.word
    val update = PrimArrays'.array_update_unsafe : array * int * Word8.word -> unit
    val create = PrimArrays'.array_new_uninit : int -> array
  end
  structure Real64Array =
  struct
    type array = Real64Array.array
    type elem = real
    val sub = PrimArrays'.array_sub_unsafe : array * int -> real
    val update = PrimArrays'.array_update_unsafe : array * int * real -> unit
    val create = PrimArrays'.array_new_uninit : int -> array
  end

  local
    (* A place holds a reference to its value, since a value by itself may be any word; or nothing. *)
    type place = unit ref option
    fun put (x : 'a) : place = SOME (cast (ref x))
    fun get (NONE : place) : 'a = raise Fail "Unsafe: a place that nothing was put in"
      | get (SOME r) = ! (cast r : 'a ref)
    val var : place ref = ref NONE
    val pseudo : place array = ArrayPrim'.new (16, NONE)
  in
    fun number i = if 0 <= i andalso i < ArrayPrim'.length pseudo then i else raise Subscript
    fun getVar () = get (!var)
    fun setVar x = var := put x
    fun getPseudo i = get (ArrayPrim'.unsafeSub (pseudo, number i))
    fun setPseudo (x, i) = ArrayPrim'.unsafeUpdate (pseudo, number i, put x)
  end
end

signature SUSP =
sig
  type 'a susp
  (* computed when it is first forced *)
  val delay : (unit -> 'a) -> 'a susp
  (* The function's result. It runs in the first thread that forces it; others wait for that, and find its result. When
     it raises an exception, the thread gets that, and whoever forces the suspension next runs the function again, as in
     SML/NJ. *)
  val force : 'a susp -> 'a
end

signature WEAK =
sig
  type 'a weak
  (* a pointer that does not keep the value alive *)
  val weak : 'a -> 'a weak
  (* NONE once the collector has dropped it *)
  val strong : 'a weak -> 'a option

  (* weak pointers to values of any types *)
  type weak'
  (* a pointer that does not keep the value alive *)
  val weak' : 'a -> weak'
  (* false once the collector has dropped it *)
  val strong' : weak' -> bool
end

signature SYS_INFO =
sig
  exception UNKNOWN
  datatype os_kind = UNIX | WIN32 | MACOS | OS2 | BEOS
  (* always UNIX *)
  val getOSKind : unit -> os_kind
  (* "Linux", as uname tells it *)
  val getOSName : unit -> string
  (* the kernel's release, as uname tells it *)
  val getOSVersion : unit -> string
  (* the processor that the program runs on, such as "x86_64" *)
  val getHostArch : unit -> string
  (* the same *)
  val getTargetArch : unit -> string
  (* the same: its name in newer versions *)
  val getArchName : unit -> string
  (* 64 *)
  val getArchSize : unit -> int
  (* true: a signal's handler runs while the program computes *)
  val hasSoftwarePolling : unit -> bool
  (* true: threads run on several processors *)
  val hasMultiprocessing : unit -> bool
end

signature SML_OF_NJ =
sig
  (* where an exception was first raised, innermost first; nil if it never was. It goes as far as the first handler and a
     hundred frames further, and shows both ends of what is long. It lives as long as the exception. An exception without
     an argument is the same value each time, so this is where that was last raised. Programs that do not use this pay
     nothing for it; in those that do, a raise takes twice as long, or longer. *)
  val exnHistory : exn -> string list
  (* the words of the command line, without the program's name, and without those that shiftArgs took *)
  val getArgs : unit -> string list
  (* the program's name and all words *)
  val getAllArgs : unit -> string list
  (* takes the first word away from what getArgs gives; when there is none, does nothing *)
  val shiftArgs : unit -> unit
  (* the program's name *)
  val getCmdName : unit -> string

  (* the parts of a quotation *)
  datatype 'a frag = QUOTE of string | ANTIQUOTE of 'a

  (* runs the function as the program that the file would be, and ends; there are no heap images *)
  val exportFn : string * (string * string list -> OS.Process.status) -> unit

  structure Susp : SUSP
  structure Weak : WEAK
  structure Cont : CONT
  structure IntervalTimer : INTERVAL_TIMER
  structure SysInfo : SYS_INFO
  structure Internals :
  sig
    structure GC :
    sig
      (* 0 collects the nursery, anything above the whole heap *)
      val doGC : int -> unit
      (* a line for each collection on standard error *)
      val messages : bool -> unit
    end
  end
end

structure SMLofNJ : SML_OF_NJ =
struct
  local
    val history = PrimExceptions'.exn_history
  in
    fun exnHistory e = String.tokens (fn c => c = #"\n") (history e)
  end
  local
    val shifted = ref 0
  in
    fun getArgs () =
      let
        val words = CommandLine.arguments ()
      in
        List.drop (words, Int.min (!shifted, List.length words))
      end
    fun shiftArgs () = shifted := !shifted + 1
  end
  fun getAllArgs () = CommandLine.name () :: CommandLine.arguments ()
  fun getCmdName () = CommandLine.name ()

  datatype 'a frag = QUOTE of string | ANTIQUOTE of 'a

  (* There are no heap images. The program that would be started from this one is gone on with at once, with the command
     line of this one: what is built of a program whose last step this is does what the image would. *)
  fun exportFn (_ : string, f) : unit = OS.Process.exit (f (getCmdName (), getArgs ()))

  (* The first who forces a suspension runs it, and takes no lock: a second one who comes meanwhile makes it, as one
     that the first has, and waits there.

         Delayed --first--> Running --its end--> Forced
            ^                |  |                  ^
            +-- exception ---+  +--second--> Turns +
  *)
  structure Susp :> SUSP =
  struct
    datatype 'a state =
        Delayed of unit -> 'a
      | Running of Thread.thread * (unit -> 'a)
      (* the lock, and the turn of the first *)
      | Turns of StreamLock'.lock * StreamLock'.turn * (unit -> 'a)
      | Forced of 'a
    type 'a susp = 'a state ref
    val look = StreamLock'.look
    val swap = StreamLock'.swap
    fun delay f = ref (Delayed f)

    fun finish (s, x) =
      case look s of
        state as Running _ => if swap (s, state, Forced x) then () else finish (s, x)
      | state as Turns (lock, turn, _) =>
          (ignore (swap (s, state, Forced x)); StreamLock'.release (lock, turn))
      | state => ignore (swap (s, state, Forced x))
    fun giveUp s =
      case look s of
        state as Running (_, f) => if swap (s, state, Delayed f) then () else giveUp s
      | Turns (lock, turn, _) => StreamLock'.release (lock, turn)
      | _ => ()
    fun run (s, f) =
      let
        val x = f () handle e => (giveUp s; raise e)
      in
        finish (s, x);
        x
      end

    fun force s =
      case look s of
        Forced x => x
      | state as Delayed f =>
          if swap (s, state, Running (Thread.self (), f)) then run (s, f) else force s
      | state as Running (thread, f) =>
          (* it needs itself: it is run again, as in SML/NJ *)
          if thread = Thread.self () then run (s, f)
          else
            let
              val (lock, turn) = StreamLock'.plainOf ("of a suspension", thread)
            in
              ignore (swap (s, state, Turns (lock, turn, f)));
              force s
            end
      | Turns (lock, _, f) =>
          StreamLock'.alone lock (fn () =>
            case look s of
              Forced x => x
            | state => let val x = f () in ignore (swap (s, state, Forced x)); x end)
  end

  structure Weak :> WEAK =
  struct
    (* nothing is allocated between the question and the answer *)
    val new = PrimCollector'.weak_new : 'a -> 'a weak
    val live = PrimCollector'.weak_live : 'a weak -> bool
    val get = PrimCollector'.weak_get : 'a weak -> 'a
    type 'a weak = 'a weak
    val weak = new
    fun strong w = if live w then SOME (get w) else NONE
    type weak' = unit weak
    fun weak' x : weak' = PrimArrays'.cast (new x)
    val strong' = live : weak' -> bool
  end

  structure Cont = SMLofNJCont'
  structure IntervalTimer = IntervalTimer'

  structure SysInfo : SYS_INFO =
  struct
    exception UNKNOWN
    datatype os_kind = UNIX | WIN32 | MACOS | OS2 | BEOS
    local
      val text = PrimAccounts'.system_text
    in
      fun getOSKind () = UNIX
      fun getOSName () = text 0
      fun getOSVersion () = text 2
      fun getHostArch () = text 4
      fun getTargetArch () = text 4
      fun getArchName () = text 4
      fun getArchSize () = 64
      fun hasSoftwarePolling () = true
      fun hasMultiprocessing () = true
    end
  end

  structure Internals =
  struct
    structure GC =
    struct
      val doGC = PrimCollector'.gc_collect
      val messages = PrimCollector'.gc_messages
    end
  end
end
