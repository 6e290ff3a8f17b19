(* Times as texts: the examples of RFC 3339 and RFC 9110, what is no date, every day of 370 years there and back, and a
   digest of 20,000 texts that Python's datetime makes of the same seconds. *)

fun line l = print (concat l ^ "\n")
fun shown NONE = "none"
  | shown (SOME t) = IntInf.toString (Time.toNanoseconds t)

val () =
  List.app (fn s => line [s, " -> ", shown (RFC3339.fromString s)])
    ["1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00", "1990-12-31T23:59:60Z", "1990-12-31T15:59:60-08:00",
     "1937-01-01T12:00:27.87+00:20", "1970-01-01t00:00:00z", "1970-01-01 00:00:00.000000001Z", "2000-02-29T00:00:00Z",
     "1969-12-31T23:59:59.9999999999Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "1700-01-01T00:00:00Z", "2262-01-01T00:00:00Z",
     "1900-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-01T24:00:00Z",
     "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T00:00:00", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00+1:00",
     "2024-01-01T00:00:00+24:00", "2024-1-01T00:00:00Z", "2024-01-01T00:00:00Zx", "", "2024-01-01"]
val () =
  List.app (fn s => line [s, " -> ", shown (HTTPDate.fromString s)])
    ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun Nov 16 08:49:37 1994",
     "Thursday, 01-Jan-70 00:00:00 GMT", "Tuesday, 31-Dec-69 00:00:00 GMT",
     "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
     "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "", ",", "Sun Nov 6 08:49:37 1994"]

fun at nanos = Time.fromNanoseconds nanos
val () =
  List.app line
    [[RFC3339.toString (at 0)], [RFC3339.toString (at 1500000000)], [RFC3339.toString (at ~1)],
     [RFC3339.fmt {digits = 3, offset = ~570} (at 1234567891234567899)], [RFC3339.fmt {digits = 0, offset = 60} (at 999999999)],
     [HTTPDate.toString (at 784111777999999999)], [HTTPDate.toString (at ~1)]]
fun raises f = (ignore (f ()); "no exception") handle e => exnName e
val () =
  List.app (fn f => line [raises f])
    [fn () => RFC3339.fmt {digits = 10, offset = 0} (at 0), fn () => RFC3339.fmt {digits = 0, offset = 1440} (at 0)]

fun day n =
  if n = 135000 then line ["days"]
  else
    let
      val t = Time.fromSeconds (86400 * n - 4000000000)
    in
      if RFC3339.fromString (RFC3339.toString t) = SOME t andalso HTTPDate.fromString (HTTPDate.toString t) = SOME t then day (n + 1)
      else line ["wrong: ", RFC3339.toString t]
    end
val () = day 0

(* FNV-1a of the texts. *)
fun add (s, h) = CharVector.foldl (fn (c, h) => Word64.xorb (h, Word64.fromInt (ord c)) * 0wx100000001B3) h s
fun texts (n, h) =
  if n = 20000 then line [Word64.toString h]
  else
    let val t = Time.fromSeconds (12345678901 * n mod 17000000000 - 8500000000)
    in texts (n + 1, add (HTTPDate.toString t, add (RFC3339.toString t, h))) end
val () = texts (0, 0wxCBF29CE484222325)
