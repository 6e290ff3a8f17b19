(* SDL2 without a display: a picture in memory is filled, and its points are read; two functions of the header are `inline`. *)
structure P = MLton.Pointer
val () = print (Int.toString (SDL.Init 0w0) ^ "\n")
val version = SDL.version.alloc ()
val () = SDL.GetVersion version
val () = print (Word8.toString (SDL.version.get_major version) ^ "\n")
val surface = SDL.CreateRGBSurfaceWithFormat (0w0, 8, 4, 32, Word.fromInt SDL.PIXELFORMAT_ARGB8888)
val rect = SDL.Rect.alloc ()
val () = (SDL.Rect.set_x (rect, 2); SDL.Rect.set_y (rect, 1); SDL.Rect.set_w (rect, 3); SDL.Rect.set_h (rect, 2))
val color = SDL.MapRGBA (SDL.Surface.get_format surface, 0w255, 0w128, 0w64, 0w255)
val () = print (Word.toString color ^ " " ^ Int.toString (SDL.FillRect (surface, rect, color)) ^ "\n")
val pixels = SDL.Surface.get_pixels surface
fun row y =
  String.concat (List.tabulate (SDL.Surface.get_w surface, fn x =>
    if P.getWord32 (P.add (pixels, Word.fromInt (y * SDL.Surface.get_pitch surface)), x) = 0w0 then "." else "#"))
val () = app (fn y => print (row y ^ "\n")) (List.tabulate (4, fn y => y))
val point = SDL.Point.alloc ()
val () = (SDL.Point.set_x (point, 3); SDL.Point.set_y (point, 2))
val () = print (Int.toString (SDL.PointInRect (point, rect)) ^ " " ^ Int.toString (SDL.RectEmpty rect) ^ "\n")
val () = SDL.FreeSurface surface
val () = SDL.Quit ()
