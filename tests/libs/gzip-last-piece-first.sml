(* The last piece of ZLIB and DEFLATE was kept back until the source had said that nothing follows: a source that raises
   there took it away, and where one waits, as a connection does that is kept, it did not come. *)
open Gzip
exception Later
fun try (name, format, sources) =
  let
    val data = compress {format = format, level = 6} "hello, world"
    val left = ref sources
    fun source () =
      case !left of
        [] => ""
      | f :: rest => (left := rest; f data)
    val {next, ...} = decompressor format source
    fun shown () = concat ["\"", next (), "\""] handle Later => "Later" | Corrupt why => "corrupt: " ^ why
    val all = List.tabulate (4, fn _ => shown ())
  in
    print (concat [name, ": ", String.concatWith ", " all, "\n"])
  end
fun whole data = data
fun later _ = raise Later
fun half isFirst data =
  if isFirst then String.substring (data, 0, 5) else String.extract (data, 5, NONE)
val () =
  List.app
    (fn (name, format) =>
      (try (name, format, [whole]);
       try (name, format, [whole, later]);
       try (name, format, [half true, later, half false, later, later]);
       try (name, format, [whole, later, fn _ => "x"]);
       try (name, format, [fn data => data ^ "x"])))
    [("GZIP", GZIP), ("ZLIB", ZLIB), ("DEFLATE", DEFLATE)]
