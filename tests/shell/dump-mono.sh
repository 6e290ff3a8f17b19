# --dump-fn printed nothing of Mono, or all from its beginning on: functions stand in functions there, not in
# paragraphs.
cat > a.sml <<'END'
fun outer 0 = 0
  | outer n =
      let
        fun inner 0 = n
          | inner k = inner (k - 1) + outer (n - 1)
      in
        inner 2 + inner 1
      end
fun other n = if n = 0 then outer 3 else other (n - 1)
val () = print (Int.toString (other 2) ^ "\n")
END
"$LEAT" build --object -o a.o --dump=mono:after=shrink --dump-fn=inner a.sml | sed 's/\.[0-9][0-9]*//g' | grep -c 'fun outer.inner'
"$LEAT" build --object -o a.o --dump=mono:after=shrink --dump-fn=outer a.sml | sed 's/\.[0-9][0-9]*//g' | grep '^fun'
"$LEAT" build --object -o a.o --dump=mono:after=shrink --dump-fn=nobody a.sml
