(* Memory of C: addresses, and what stands there. Each of these is an instruction; its text says the types that C has. *)
structure MLtonMemory' =
struct
  (* an address and its bits *)
  val of_word = PrimWords'.bits : word -> pointer
  val to_word = PrimWords'.bits : pointer -> word

  val getInt8 = (PrimForeign'.foreign : string -> pointer -> int8) "get||pointer|i8"
  val getInt16 = (PrimForeign'.foreign : string -> pointer -> int16) "get||pointer|i16"
  val getInt32 = (PrimForeign'.foreign : string -> pointer -> int32) "get||pointer|i32"
  val getInt64 = (PrimForeign'.foreign : string -> pointer -> int) "get||pointer|i64"
  val getWord8 = (PrimForeign'.foreign : string -> pointer -> word8) "get||pointer|u8"
  val getWord16 = (PrimForeign'.foreign : string -> pointer -> word16) "get||pointer|u16"
  val getWord32 = (PrimForeign'.foreign : string -> pointer -> word32) "get||pointer|u32"
  val getWord64 = (PrimForeign'.foreign : string -> pointer -> word) "get||pointer|u64"
  val getReal32 = (PrimForeign'.foreign : string -> pointer -> real32) "get||pointer|f32"
  val getReal64 = (PrimForeign'.foreign : string -> pointer -> real) "get||pointer|f64"
  val getPointer = (PrimForeign'.foreign : string -> pointer -> pointer) "get||pointer|pointer"

  val setInt8 = (PrimForeign'.foreign : string -> pointer * int8 -> unit) "set||pointer,i8|"
  val setInt16 = (PrimForeign'.foreign : string -> pointer * int16 -> unit) "set||pointer,i16|"
  val setInt32 = (PrimForeign'.foreign : string -> pointer * int32 -> unit) "set||pointer,i32|"
  val setInt64 = (PrimForeign'.foreign : string -> pointer * int -> unit) "set||pointer,i64|"
  val setWord8 = (PrimForeign'.foreign : string -> pointer * word8 -> unit) "set||pointer,u8|"
  val setWord16 = (PrimForeign'.foreign : string -> pointer * word16 -> unit) "set||pointer,u16|"
  val setWord32 = (PrimForeign'.foreign : string -> pointer * word32 -> unit) "set||pointer,u32|"
  val setWord64 = (PrimForeign'.foreign : string -> pointer * word -> unit) "set||pointer,u64|"
  val setReal32 = (PrimForeign'.foreign : string -> pointer * real32 -> unit) "set||pointer,f32|"
  val setReal64 = (PrimForeign'.foreign : string -> pointer * real -> unit) "set||pointer,f64|"
  val setPointer =
    (PrimForeign'.foreign : string -> pointer * pointer -> unit) "set||pointer,pointer|"
end
