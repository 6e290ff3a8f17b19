(* Byte: characters and bytes, strings and vectors of bytes. *)

signature BYTE =
sig
  (* The character with that number. *)
  val byteToChar : Word8.word -> char
  (* The character's number, as a byte. *)
  val charToByte : char -> Word8.word
  (* The bytes as characters of a string. *)
  val bytesToString : Word8Vector.vector -> string
  (* The string's characters as bytes. *)
  val stringToBytes : string -> Word8Vector.vector
  (* The bytes of a part of a vector, as characters of a string. *)
  val unpackStringVec : Word8VectorSlice.slice -> string
  (* The bytes of a part of an array, as characters of a string. *)
  val unpackString : Word8ArraySlice.slice -> string
  (* Writes the characters into the array from that index on. Raises Subscript when they do not fit. *)
  val packString : Word8Array.array * int * substring -> unit
end

structure Byte : BYTE =
struct
  local
    (* both are arrays of bytes that nobody updates *)
    val toVector = PrimArrays'.cast : string -> Word8.word vector
    val ofVector = PrimArrays'.cast : Word8.word vector -> string
    val ofArray = PrimArrays'.cast : Word8.word array -> char array
    val chars = PrimArrays'.cast : string -> char vector
  in
    val byteToChar = PrimWords'.bits : Word8.word -> char
    val charToByte = PrimWords'.bits : char -> Word8.word
    val bytesToString = ofVector
    val stringToBytes = toVector
    fun unpackStringVec s = ofVector (Word8VectorSlice.vector s)
    fun unpackString s = ofVector (Word8ArraySlice.vector s)
    fun packString (a, at, part) =
      let
        val (s, i, n) = Substring.base part
      in
        SlicePrim'.copyVec ((chars s, i, n), ofArray a, at)
      end
  end
end
