(* Made of kinds.h by `leat bindgen`. *)
signature KINDS =
sig
  (* -- addresses of structures, unions and functions *)

  eqtype part
  eqtype point
  eqtype all
  eqtype all_choice
  eqtype either
  eqtype opaque
  eqtype note
  eqtype all_compare
  eqtype move
  eqtype apply_f
  eqtype measured_length
  eqtype made_make

  (* -- kinds_way *)

  (* Which way to go. *)
  val LEFT : int (* 0 *)
  (* not right *)
  val RIGHT : int (* 5 *)
  val BACK : int (* -1 *)

  (* -- enum kinds_wide *)

  val TOP : word (* 0x80000000 *)

  (* -- macros *)

  val VERSION : string
  val LIMIT : int (* 100 *)
  val LOWEST : int (* -9223372036854775808 *)
  val MASK : word (* 0xffff0000 *)
  val HUGE : word (* 0xffffffffffffffff *)
  val RATIO : real (* -0.0015 *)
  val LETTER : int (* 97 *)
  val STATIC : MLton.Pointer.t (* 0xffffffffffffffff *)
  val end_ : int (* 7 *)
  val SOME_ : int (* 8 *)

  (* -- structures and unions *)

  structure part :
  sig
    (* kinds_part *)
    val null : part
    val ofPointer : MLton.Pointer.t -> part
    val toPointer : part -> MLton.Pointer.t
    val size : int
    (* in bytes *)
    val alloc : unit -> part
    (* Memory of C, all 0, until it is freed. Raises Fail if there is none. *)
    val free : part -> unit
    val nth : part * int -> part
    (* The element of an array of them that begins there. *)
    val get_a : part -> int
    (* int a *)
    val set_a : part * int -> unit
  end

  structure point :
  sig
    (* A point ( *of* a plane).
       kinds_point *)
    val null : point
    val ofPointer : MLton.Pointer.t -> point
    val toPointer : point -> MLton.Pointer.t
    val size : int
    (* in bytes *)
    val alloc : unit -> point
    (* Memory of C, all 0, until it is freed. Raises Fail if there is none. *)
    val free : point -> unit
    val nth : point * int -> point
    (* The element of an array of them that begins there. *)
    val get_x : point -> real
    (* to the right
       double x *)
    val set_x : point * real -> unit
    val get_y : point -> real
    (* double y *)
    val set_y : point * real -> unit
  end

  structure all :
  sig
    (* struct kinds_all *)
    val null : all
    val ofPointer : MLton.Pointer.t -> all
    val toPointer : all -> MLton.Pointer.t
    val size : int
    (* in bytes *)
    val alloc : unit -> all
    (* Memory of C, all 0, until it is freed. Raises Fail if there is none. *)
    val free : all -> unit
    val nth : all * int -> all
    (* The element of an array of them that begins there. *)
    val get_c : all -> char
    (* char c *)
    val set_c : all * char -> unit
    val get_i8 : all -> Int8.int
    (* signed char i8 *)
    val set_i8 : all * Int8.int -> unit
    val get_u8 : all -> Word8.word
    (* unsigned char u8 *)
    val set_u8 : all * Word8.word -> unit
    val get_i16 : all -> Int16.int
    (* short i16 *)
    val set_i16 : all * Int16.int -> unit
    val get_u16 : all -> Word16.word
    (* unsigned short u16 *)
    val set_u16 : all * Word16.word -> unit
    val get_i32 : all -> int
    (* int i32 *)
    val set_i32 : all * int -> unit
    val get_u32 : all -> word
    (* unsigned int u32 *)
    val set_u32 : all * word -> unit
    val get_i64 : all -> Int64.int
    (* long i64 *)
    val set_i64 : all * Int64.int -> unit
    val get_u64 : all -> Word64.word
    (* unsigned long u64 *)
    val set_u64 : all * Word64.word -> unit
    val get_f32 : all -> Real32.real
    (* float f32 *)
    val set_f32 : all * Real32.real -> unit
    val get_f64 : all -> real
    (* double f64 *)
    val set_f64 : all * real -> unit
    val get_yes : all -> bool
    (* _Bool yes *)
    val set_yes : all * bool -> unit
    val get_fixed : all -> int
    (* const int fixed *)
    val get_way : all -> int
    (* kinds_way way *)
    val set_way : all * int -> unit
    val get_wide : all -> word
    (* enum kinds_wide wide *)
    val set_wide : all * word -> unit
    val get_text : all -> MLton.Pointer.t
    (* const char *text *)
    val set_text : all * MLton.Pointer.t -> unit
    val get_to : all -> point
    (* kinds_point *to *)
    val set_to : all * point -> unit
    val at_at : all -> point
    (* kinds_point at *)
    val at_corners : all -> point
    (* kinds_point corners[2] *)
    val at_numbers : all -> MLton.Pointer.t
    (* int numbers[3] *)
    val get_low : all -> word
    (* unsigned int low *)
    val set_low : all * word -> unit
    val get_high : all -> int
    (* int high *)
    val set_high : all * int -> unit
    val get_flag : all -> bool
    (* _Bool flag *)
    val set_flag : all * bool -> unit
    val get_many : all -> Word64.word
    (* unsigned long long many *)
    val set_many : all * Word64.word -> unit
    val get_as_int : all -> int
    (* int as_int *)
    val set_as_int : all * int -> unit
    val get_as_float : all -> Real32.real
    (* float as_float *)
    val set_as_float : all * Real32.real -> unit
    val at_choice : all -> all_choice
    (* union { .. } choice *)
    val get_compare : all -> all_compare
    (* int ( *compare)(const void *, const void * ) *)
    val set_compare : all * all_compare -> unit
    val get_note : all -> note
    (* kinds_note note *)
    val set_note : all * note -> unit
    val get_next : all -> all
    (* struct kinds_all *next *)
    val set_next : all * all -> unit
  end

  structure all_choice :
  sig
    (* a union *)
    val null : all_choice
    val ofPointer : MLton.Pointer.t -> all_choice
    val toPointer : all_choice -> MLton.Pointer.t
    val size : int
    (* in bytes *)
    val alloc : unit -> all_choice
    (* Memory of C, all 0, until it is freed. Raises Fail if there is none. *)
    val free : all_choice -> unit
    val nth : all_choice * int -> all_choice
    (* The element of an array of them that begins there. *)
    val at_bytes : all_choice -> MLton.Pointer.t
    (* char bytes[8] *)
    val get_whole : all_choice -> Word64.word
    (* uint64_t whole *)
    val set_whole : all_choice * Word64.word -> unit
  end

  structure either :
  sig
    (* kinds_either *)
    val null : either
    val ofPointer : MLton.Pointer.t -> either
    val toPointer : either -> MLton.Pointer.t
    val size : int
    (* in bytes *)
    val alloc : unit -> either
    (* Memory of C, all 0, until it is freed. Raises Fail if there is none. *)
    val free : either -> unit
    val nth : either * int -> either
    (* The element of an array of them that begins there. *)
    val get_number : either -> int
    (* int32_t number *)
    val set_number : either * int -> unit
    val at_letters : either -> MLton.Pointer.t
    (* char letters[4] *)
  end

  structure opaque :
  sig
    (* kinds_opaque *)
    val null : opaque
    val ofPointer : MLton.Pointer.t -> opaque
    val toPointer : opaque -> MLton.Pointer.t
  end

  (* -- functions that C calls by their addresses *)

  structure note :
  sig
    (* Takes notes of what happens.
       void ( * )(void *, const char *, _Bool) *)
    val null : note
    val ofPointer : MLton.Pointer.t -> note
    val toPointer : note -> MLton.Pointer.t
    val make : (MLton.Pointer.t * MLton.Pointer.t * bool -> unit) -> note
    (* A function of SML, which C may call until it is freed. *)
    val free : note -> unit
    (* For those that `make` has made. *)
    val call : note -> MLton.Pointer.t * MLton.Pointer.t * bool -> unit
  end

  structure all_compare :
  sig
    (* int ( * )(const void *, const void * ) *)
    val null : all_compare
    val ofPointer : MLton.Pointer.t -> all_compare
    val toPointer : all_compare -> MLton.Pointer.t
    val make : (MLton.Pointer.t * MLton.Pointer.t -> int) -> all_compare
    (* A function of SML, which C may call until it is freed. *)
    val free : all_compare -> unit
    (* For those that `make` has made. *)
    val call : all_compare -> MLton.Pointer.t * MLton.Pointer.t -> int
  end

  structure move :
  sig
    (* Where a point goes.
       struct kinds_point ( * )(_Bool, struct kinds_point, int) *)
    val null : move
    val ofPointer : MLton.Pointer.t -> move
    val toPointer : move -> MLton.Pointer.t
    val make : (bool * point * int -> point) -> move
    (* A function of SML, which C may call until it is freed. A structure that it gets is there until it returns; C gets a copy of the one that it gives. *)
    val free : move -> unit
    (* For those that `make` has made. *)
    val call : move -> bool * point * int -> point
  end

  structure apply_f :
  sig
    (* int ( * )(int) *)
    val null : apply_f
    val ofPointer : MLton.Pointer.t -> apply_f
    val toPointer : apply_f -> MLton.Pointer.t
    val make : (int -> int) -> apply_f
    (* A function of SML, which C may call until it is freed. *)
    val free : apply_f -> unit
    (* For those that `make` has made. *)
    val call : apply_f -> int -> int
  end

  structure measured_length :
  sig
    (* double ( * )(struct kinds_point) *)
    val null : measured_length
    val ofPointer : MLton.Pointer.t -> measured_length
    val toPointer : measured_length -> MLton.Pointer.t
    val make : (point -> real) -> measured_length
    (* A function of SML, which C may call until it is freed. A structure that it gets is there until it returns. *)
    val free : measured_length -> unit
    (* For those that `make` has made. *)
    val call : measured_length -> point -> real
  end

  structure made_make :
  sig
    (* struct kinds_point ( * )(int) *)
    val null : made_make
    val ofPointer : MLton.Pointer.t -> made_make
    val toPointer : made_make -> MLton.Pointer.t
    val make : (int -> point) -> made_make
    (* A function of SML, which C may call until it is freed. C gets a copy of the structure that it gives. *)
    val free : made_make -> unit
    (* For those that `make` has made. *)
    val call : made_make -> int -> point
  end

  (* -- variables *)

  val get_calls : unit -> int
  (* How often it was called.
     int kinds_calls *)
  val set_calls : int -> unit
  val get_half : unit -> real
  (* const double kinds_half *)
  val at_origin : point
  (* kinds_point kinds_origin *)
  val at_name : MLton.Pointer.t
  (* const char kinds_name[] *)

  (* -- functions *)

  val more : unit -> int
  (* int kinds_more (void) *)
  val part_of : part -> int
  (* int kinds_part_of (kinds_part *part) *)
  val open_ : string * int -> opaque
  (* Makes one.

     It is ended by kinds_close.
     kinds_opaque *kinds_open (const char *name, int size) *)
  val close : opaque -> unit
  (* void kinds_close (kinds_opaque * ) *)
  val name_of : opaque * CharArray.array * Word64.word -> int
  (* int kinds_name_of (const kinds_opaque *it, char *buffer, size_t size) *)
  val fill : all -> unit
  (* void kinds_fill (struct kinds_all *all) *)
  val not : bool -> bool
  (* _Bool kinds_not (_Bool b) *)
  val small : Word8.word * Int16.int -> Word8.word
  (* unsigned char kinds_small (unsigned char a, short b) *)
  val mean : Real32.real * Real32.real -> Real32.real
  (* float kinds_mean (float a, float b) *)
  val divide : int * int * int ref -> int
  (* int kinds_divide (int a, int b, int *rest) *)
  val sum : real vector * Word64.word -> real
  (* double kinds_sum (const double *numbers, size_t count) *)
  val square : real array * Word64.word -> unit
  (* void kinds_square (double *numbers, size_t count) *)
  val bytes : Word8Vector.vector * Word64.word -> Int64.int
  (* int64_t kinds_bytes (const void *data, size_t count) *)
  val turn : int -> int
  (* kinds_way kinds_turn (kinds_way way) *)
  val same : word -> word
  (* enum kinds_wide kinds_same (enum kinds_wide wide) *)
  val each : int * note * MLton.Pointer.t -> unit
  (* void kinds_each (int count, kinds_note note, void *data) *)
  val apply : apply_f * int -> int
  (* int kinds_apply (int ( *f)(int), int x) *)
  val noter : unit -> note
  (* kinds_note kinds_noter (void) *)
  val set : MLton.Pointer.t * MLton.Pointer.t -> int
  (* int kinds_set (FILE *file, int corners[2]) *)
  val fail : int -> int * int
  (* int kinds_fail (int code) *)
  val total : int -> int
  (* int kinds_total (int count, ...) *)
  val add : point * point -> point
  (* The result is in memory of its own: point.free ends it.
     kinds_point kinds_add (kinds_point a, kinds_point b) *)
  val copy : all -> all
  (* The result is in memory of its own: all.free ends it.
     struct kinds_all kinds_copy (struct kinds_all all) *)
  val pick : either * int -> either
  (* The result is in memory of its own: either.free ends it.
     kinds_either kinds_pick (kinds_either either, int which) *)
  val moved : move * point -> point
  (* The result is in memory of its own: point.free ends it.
     kinds_point kinds_moved (kinds_move move, kinds_point at) *)
  val mover : unit -> move
  (* kinds_move kinds_mover (void) *)
  val measured : measured_length * real * real -> real
  (* double kinds_measured (double ( *length)(kinds_point), double x, double y) *)
  val made : made_make -> point
  (* The result is in memory of its own: point.free ends it.
     kinds_point kinds_made (kinds_point ( *make)(int32_t)) *)
  val chosen : MLton.Pointer.t -> int
  (* int kinds_chosen (int ( *choose)(kinds_either)) *)
  val inline : string * bool -> int
  (* int kinds_inline (const char *text, _Bool more) *)
  val plain_inline : int -> int
  (* int kinds_plain_inline (int x) *)
  val both : int -> int
  (* int kinds_both (int x) *)
  val other : int -> int
  (* int kinds_other (int x) *)
  val new_name : int -> int
  (* int kinds_new_name (int x) *)
  val val_ : int -> int
  (* int val (int type) *)
  val mod_ : int * int -> int
  (* int mod (int a, int b) *)
end

(* Not bound:

   there is no type for `long double` of C:
     all_extended kinds_long

   a list of arguments (`va_list`):
     kinds_vtotal

   a `static` function that is not `inline`:
     kinds_hidden

   a name that begins with `_`:
     _kinds_private _3d

   a macro with parameters:
     KINDS_TWICE

   a real that is not finite:
     KINDS_INFINITE

   a text with a zero byte in it:
     KINDS_ZERO_BYTE

   a text of wide characters:
     KINDS_WIDE_TEXT
*)
