# `_symbol` with MLton's type, that of the two functions, and with the type of the variable.
export XDG_CACHE_HOME="$PWD/.cache"
echo 'int FFI_INT = 13;' > x.c
cat > a.sml <<'E'
val (get, set) = _symbol "FFI_INT" public : (unit -> int) * (int -> unit);
val () = (set (get () + 1); print (Int.toString (get ()) ^ "\n"))
val (get, set) = _symbol "FFI_INT" public : Int32.int;
val () = (set (get () + 1); print (Int32.toString (get ()) ^ "\n"))
E
"$LEAT" run x.c a.sml
"$LEAT" build x.c a.sml -o a && ./a
