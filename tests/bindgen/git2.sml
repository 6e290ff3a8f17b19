(* libgit2: a repository is made, a blob is written into it, and read again. *)
structure G = Git2
structure P = MLton.Pointer
fun text (p, count) = CharVector.tabulate (count, fn i => Byte.byteToChar (P.getWord8 (p, i)))
val path = OS.FileSys.tmpName ()
val () = OS.FileSys.remove path
val () = print (Int.toString (G.libgit2_init ()) ^ "\n")
val repository = ref G.repository.null
val () = print (Int.toString (G.repository_init (repository, path, 0w1)) ^ "\n")
val id = G.oid.alloc ()
val content = Byte.stringToBytes "hello\n"
val () = print (Int.toString (G.blob_create_from_buffer (id, !repository, content, 0w6)) ^ "\n")
val hex = CharArray.array (40, #" ")
val _ = G.oid_fmt (hex, id)
val () = print (CharArray.vector hex ^ "\n")
val blob = ref G.blob.null
val () = print (Int.toString (G.blob_lookup (blob, !repository, id)) ^ "\n")
val () = print (text (G.blob_rawcontent (!blob), Word64.toInt (G.blob_rawsize (!blob))))
val () = (G.blob_free (!blob); G.repository_free (!repository); G.oid.free id)
val () = print (Int.toString (G.repository_open (repository, "/no/such/folder")) ^ " " ^ Int.toString G.ENOTFOUND ^ "\n")
val _ = OS.Process.system ("rm -rf " ^ path)
