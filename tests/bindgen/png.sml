(* libpng: a picture is written into memory, and read again. *)
structure I = Png.png_image
structure P = MLton.Pointer
val malloc = _import "malloc" : Word64.word -> P.t;
val (width, height) = (0w20, 0w10)
fun image () =
  let
    val it = I.alloc ()
  in
    I.set_version (it, Word.fromInt Png.PNG_IMAGE_VERSION);
    it
  end
val pixels = Word8Vector.tabulate (20 * 10 * 3, fn i => Word8.fromInt (i * 7))
val it = image ()
val () = (I.set_width (it, width); I.set_height (it, height); I.set_format (it, Png.PNG_FORMAT_RGB))
val memory = malloc 0w10000
val count = ref 0w10000
val written = Png.png_image_write_to_memory (it, memory, count, 0, pixels, 0, P.null)
val () = print (Int.toString written ^ " " ^ Bool.toString (!count < 0w10000 andalso !count > 0w100) ^ "\n")
val () = print (str (Byte.byteToChar (P.getWord8 (memory, 1))) ^ str (Byte.byteToChar (P.getWord8 (memory, 2))) ^ "\n")
val it = image ()
val begun = Png.png_image_begin_read_from_memory (it, memory, !count)
val back = Word8Array.array (600, 0w0)
val () = I.set_format (it, Png.PNG_FORMAT_RGB)
val read = Png.png_image_finish_read (it, Png.png_color.null, back, 0, P.null)
val () = print (String.concatWith " " [Int.toString begun, Int.toString read, Word.toString (I.get_width it),
  Bool.toString (Word8Array.vector back = pixels)] ^ "\n")
