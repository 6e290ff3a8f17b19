# `-h` and `--help` ask for the help where an option may stand. As the value of another option they did, too: the program
# printed its help, and ended as if all were well.
cat > p.sml <<'SML'
infix 4 **
val op ** = Options.**
fun about (name, short) = {name = name, short = short, env = "", help = "the " ^ name}
val options =
  Options.make (fn pattern => fn loud => (pattern, loud))
  ** Options.value (Options.string, "-") (about ("pattern", "e"))
  ** Options.flag (about ("loud", "l"))
val ((pattern, loud), files) = Options.run {about = "Looks for a pattern.", rest = "[FILE..]", options = options}
val () = print (String.concatWith " " (pattern :: Bool.toString loud :: files) ^ "\n")
SML
cat > p.mlb <<'MLB'
$(SML_LIB)/basis/basis.mlb
$(SML_LIB)/leat/options.mlb
p.sml
MLB
"$LEAT" build p.mlb -o p
./p --pattern -h
./p -e --help file
./p -le -h
./p --pattern=--help -- -h --help
for words in "-h" "file --help" "-lh" "--pattern x -h --pattern"; do
  ./p $words | head -1
done
./p --wrong -h 2>&1
echo "$?"
./p --help=x 2>&1
echo "$?"
# A program may have such an option itself.
cat > q.sml <<'SML'
infix 4 **
val op ** = Options.**
fun about (name, short) = {name = name, short = short, env = "", help = "the " ^ name}
val options =
  Options.make (fn host => fn help => (host, help))
  ** Options.value (Options.string, "-") (about ("host", "h"))
  ** Options.value (Options.string, "-") (about ("help", ""))
val ((host, help), _) = Options.run {about = "", rest = "", options = options}
val () = print (host ^ " " ^ help ^ "\n")
SML
sed 's/p.sml/q.sml/' p.mlb > q.mlb
"$LEAT" run q.mlb -h example --help me
