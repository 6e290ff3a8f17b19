(* Byte: characters and bytes, strings and vectors of bytes. *)

signature BYTE =
sig
  (* by number *)
  val byteToChar : Word8.word -> char
  val charToByte : char -> Word8.word
  (* all of a vector *)
  val bytesToString : Word8Vector.vector -> string
  val stringToBytes : string -> Word8Vector.vector
  (* a part as a string; a string into an array from a place on: raises Subscript where it does not fit *)
  val unpackStringVec : Word8VectorSlice.slice -> string
  val unpackString : Word8ArraySlice.slice -> string
  (* writes the characters from that index on; raises Subscript *)
  val packString : Word8Array.array * int * substring -> unit
end

structure Byte : BYTE =
struct
  local
    (* both are arrays of bytes that nobody updates *)
    val toVector = PrimArrays'.cast : string -> Word8.word vector
    val ofVector = PrimArrays'.cast : Word8.word vector -> string
    val ofArray = PrimArrays'.cast : Word8.word array -> char array
    val thaw = PrimArrays'.cast : string -> char array
  in
    val byteToChar = PrimWords'.bits : Word8.word -> char
    val charToByte = PrimWords'.bits : char -> Word8.word
    val bytesToString = ofVector
    val stringToBytes = toVector
    fun unpackStringVec s = ofVector (Word8VectorSlice.vector s)
    fun unpackString s = ofVector (Word8ArraySlice.vector s)
    fun packString (a, at, part) =
      let val (s, i, n) = Substring.base part in SlicePrim'.copy ((thaw s, i, n), ofArray a, at) end
  end
end
