# At a terminal: from the end of the program there was no way back, so a failure that one `continue` too many had passed was
# out of reach. `break` took no functions. Of an expression that ends too early it was said that a `)` was found, which
# nobody had typed.
cat > end.sml <<'SML'
exception E of int * string
datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
structure Tree = struct
  fun insert (Leaf, x) = Node (Leaf, x, Leaf)
    | insert (t as Node (l, y, r), x) =
        if x < y then Node (insert (l, x), y, r)
        else t
end
fun twice x = List.map (fn y => y + x) [x]
val t = Tree.insert (Tree.insert (Leaf, 2), 1)
val l = twice 3
val () = print "the end\n"
SML
console() { "$LEAT" debug --console end.sml 2>&1; echo; }
echo '-- back'
printf 'continue\nwhere\nnext\nback\nprint length l\nback\ncontinue\nquit\n' | console
echo '-- rcontinue'
printf 'break 9\ncontinue\ncontinue\nrcontinue\nprint x\nrcontinue\nquit\n' | console
printf 'continue\nrcontinue\nquit\n' | console
echo '-- functions'
printf 'break insert\nbreak\ncontinue\ncontinue\ncontinue\ncontinue\nquit\n' | console
printf 'break end.sml:twice if x = 3\ncontinue\ncontinue\nquit\n' | console
printf 'break nobody\nbreak end.sml:nobody\nbreak other.sml:insert\nquit\n' | console
echo '-- expressions'
printf 'print 1 +\nprint (1\nbreak 9 if x =\nbreak 9 if x = 3)\nquit\n' | console
echo '-- threads'
cat > end.sml <<'SML'
val c : int CML.chan = CML.channel ()
val t = CML.spawn (fn () => CML.send (c, 1))
val () = CML.yield ()
val n = CML.recv c
SML
printf 'break 4\ncontinue\nthreads\nquit\n' | console
# Whether an exception makes a test fail is asked at each raise: once all frames were looked at for that.
cat > end.sml <<'SML'
exception No
fun go 0 = 0
  | go n = ((if n mod 2 = 0 then raise No else n) handle No => 0) + go (n - 1)
val n = go 20000
SML
echo '-- raises'
printf 'continue\nquit\n' | timeout 100 "$LEAT" debug --console end.sml 2>&1
