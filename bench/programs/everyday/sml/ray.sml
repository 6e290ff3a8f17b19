(* A ray tracer: spheres over a floor, one light, mirrors of depth four; the picture is summed up. *)

type vec = real * real * real

fun add ((a, b, c) : vec, (x, y, z) : vec) = (a + x, b + y, c + z)
fun sub ((a, b, c) : vec, (x, y, z) : vec) = (a - x, b - y, c - z)
fun scale (k, (x, y, z) : vec) = (k * x, k * y, k * z)
fun dot ((a, b, c) : vec, (x, y, z) : vec) = a * x + b * y + c * z
fun unit v = scale (1.0 / Math.sqrt (dot (v, v)), v)

type sphere = {center : vec, radius : real, colour : real, mirror : real}

val spheres : sphere list =
  {center = (0.0, ~1000.0, 0.0), radius = 1000.0, colour = 0.6, mirror = 0.1}
  :: List.tabulate (12,
                    fn i =>
                      {center = (real (i mod 4) * 2.2 - 3.3, 1.0, real (i div 4) * 2.5 + 1.0),
                       radius = 0.9,
                       colour = 0.3 + real (i mod 5) * 0.15,
                       mirror = real (i mod 3) * 0.3})

val light = unit (~1.0, 2.0, ~1.5)

fun hit (origin, direction, {center, radius, ...} : sphere) =
  let
    val oc = sub (origin, center)
    val b = dot (oc, direction)
    val d = b * b - dot (oc, oc) + radius * radius
  in
    if d < 0.0 then NONE
    else
      let
        val t = ~b - Math.sqrt d
      in
        if t > 0.001 then SOME t else NONE
      end
  end

fun nearest (origin, direction) =
  foldl
    (fn (s, best) =>
      case (hit (origin, direction, s), best) of
        (SOME t, SOME (t', _)) => if t < t' then SOME (t, s) else best
      | (SOME t, NONE) => SOME (t, s)
      | (NONE, _) => best)
    NONE
    spheres

fun trace (origin, direction, depth) =
  case nearest (origin, direction) of
    NONE => 0.2 + 0.3 * Real.max (0.0, #2 direction)
  | SOME (t, {center, colour, mirror, ...}) =>
      let
        val place = add (origin, scale (t, direction))
        val normal = unit (sub (place, center))
        val shade = Real.max (0.0, dot (normal, light))
        val shade = if shade > 0.0 andalso isSome (nearest (place, light)) then 0.0 else shade
        val own = colour * (0.2 + 0.8 * shade)
      in
        if depth = 0 orelse mirror <= 0.0 then own
        else
          let
            val turned = sub (direction, scale (2.0 * dot (direction, normal), normal))
          in
            (1.0 - mirror) * own + mirror * trace (place, turned, depth - 1)
          end
      end

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))

fun pixel (i, j) =
  let
    val x = (real i + 0.5) / real n * 2.0 - 1.0
    val y = 1.0 - (real j + 0.5) / real n * 2.0
  in
    Real.min (1.0, trace ((0.0, 3.0, ~8.0), unit (x, y - 0.3, 1.5), 4))
  end

val picture = Array2.tabulate Array2.RowMajor (n, n, fn (j, i) => pixel (i, j))
val sum = Array2.fold Array2.RowMajor op + 0.0 picture
val () = print (concat ["mean ", Real.fmt (StringCvt.FIX (SOME 6)) (sum / real (n * n)), "\n"])
