(* Digests: so many blocks of a string, from an index on, change a chain, whose words are the
   digest's.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimDigests' =
struct
  (* chain of 4 words below 2^32 * string * index * number of blocks of 64 bytes *)
  val digest_md5 = _prim "digest_md5" : word array * string * int * int -> unit

  (* Likewise, a chain of 5. *)
  val digest_sha1 = _prim "digest_sha1" : word array * string * int * int -> unit

  (* Likewise, a chain of 8. *)
  val digest_sha256 = _prim "digest_sha256" : word array * string * int * int -> unit

  (* A chain of 8 words; blocks of 128 bytes. *)
  val digest_sha512 = _prim "digest_sha512" : word array * string * int * int -> unit

  (* the CRC-32 of what came before * string * index * number of bytes -> the CRC-32 with them *)
  val digest_crc32 = _prim "digest_crc32" : word * string * int * int -> word
end
