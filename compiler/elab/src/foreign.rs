//! Names of other languages, and of other implementations -> how the same is written here.
//!
//! These are names that tell it by themselves. Operators, and what is known by the tokens around it, stand in
//! `compiler/ast/src/habits/table.rs`, whose advice takes the place of this one.

use leat_base::Symbol;

const READ_FILE: &str = "a file is read by `TextIO.inputAll (TextIO.openIn \"file\")`";
const WRITE_FILE: &str =
    "a file is written by `TextIO.openOut \"file\"`, `TextIO.output (f, \"text\")` and `TextIO.closeOut f`";

/// Does a quotation of SML/NJ begin with this?
pub(crate) fn is_quotation(name: &str) -> bool {
    name.trim_start_matches('%').starts_with('`')
}

/// What a value's name of another language is here.
pub(crate) fn value(name: &str) -> Option<&'static str> {
    Some(match name {
        "or" => "write `orelse`",
        "shl" | "shr" => {
            "words are shifted by `Word.<<` and `Word.>>`, whose second argument is a word: `Word.<< (w, 0w3)`"
        }
        "for" | "foreach" => "write a function that calls itself, `List.app` over a list, or `while`",
        "func" | "def" => "a function is written `fn x => ...`, or `fun f x = ...`",
        "let*" | "var" | "const" => "a declaration is written `val x = ...`",
        "null" | "NULL" | "None" | "Nothing" | "undefined" => {
            "a value that may be missing is an option: `NONE` or `SOME x`"
        }
        "Ok" | "Err" | "Left" | "Right" => {
            "a result that may be missing is an option, `SOME x` or `NONE`; an error is an exception, `raise Fail \"...\"`"
        }
        "make" => "a channel is made by `CML.channel ()`, an array by `Array.array (10, 0)`",
        "Some" | "Just" => "write `SOME x`",
        "True" | "TRUE" => "write `true`",
        "False" | "FALSE" => "write `false`",
        "printf" | "println" | "puts" | "echo" | "putStrLn" | "print_endline" | "print_string" | "print_int"
        | "print_float" | "print_newline" | "writeln" => "write `print (\"n = \" ^ Int.toString n ^ \"\\n\")`",
        "sprintf" | "format" => "strings are joined with `^`, numbers made strings by `Int.toString` and `Real.fmt`",
        "incr" | "decr" => "a reference is changed by `r := !r + 1`",
        "float_of_int" | "fromIntegral" => "write `real n`",
        "log" => "the natural logarithm is `Math.ln x`, that of base 10 `Math.log10 x`",
        "elem" | "notElem" | "member" | "contains" | "includes" => {
            "whether a list has an element is `List.exists (fn y => y = x) list`"
        }
        "readFile" | "read_file" | "readFileSync" | "slurp" => READ_FILE,
        "writeFile" | "write_file" | "writeFileSync" | "spit" => WRITE_FILE,
        "even" | "odd" => "write `n mod 2 = 0`, `n mod 2 = 1`",
        "concatMap" | "flatMap" => "write `List.concat (map f list)`",
        "reverse" => "write `rev list`",
        "sort" => "write `ListMergeSort.sort op > list`; it is in a library, `CM.make \"$/smlnj-lib.cm\";`",
        "dict" => {
            "maps and sets are in a library, `CM.make \"$/smlnj-lib.cm\";`: `RedBlackMapFn`, `HashTable`, `AtomMap`, ..."
        }
        "getenv" => "write `OS.Process.getEnv \"HOME\"`, which is a `string option`",
        "system" => "write `OS.Process.system \"ls\"`",
        "Not_found" => "what may not be there is an option; an exception of your own is declared, `exception NotFound`",
        "len" => "the length of a list is `length`, that of a string `size`, of others `Vector.length`, `Array.length`",
        "append" | "concat_list" => "lists are joined with `@`, strings with `^`, lists of lists by `List.concat`",
        "push" | "cons" | "prepend" => "an element is put in front of a list with `::`",
        "pop" | "head" | "car" | "first" => "the first element of a list is `hd`, or the pattern `x :: rest`",
        "tail" | "cdr" | "rest" => "a list without its first element is `tl`, or the pattern `x :: rest`",
        "fold" | "reduce" | "fold_left" | "foldLeft" => "write `foldl (fn (x, sum) => ...) start list`",
        "fold_right" | "foldRight" => "write `foldr (fn (x, rest) => ...) start list`",
        "iter" | "each" | "forEach" => "write `app (fn x => ...) list`",
        "range" => "write `List.tabulate (n, fn i => i)`",
        "toString" | "string_of_int" | "str_of_int" | "itoa" | "show" => {
            "write `Int.toString n`, `Real.toString x`, `Bool.toString b`"
        }
        "parseInt" | "int_of_string" | "atoi" | "toInt" => "write `Int.fromString s`, which is an `int option`",
        "parseFloat" | "float_of_string" => "write `Real.fromString s`, which is a `real option`",
        "sqrt" | "sin" | "cos" | "tan" | "exp" | "ln" | "pow" | "pi" => "it is in the structure `Math`",
        "max" | "min" => "write `Int.max (a, b)`, `Real.max (a, b)`, `Int.min`, `Real.min`",
        "input" | "readLine" | "read_line" | "getLine" | "gets" => {
            "write `TextIO.inputLine TextIO.stdIn`, which is a `string option`"
        }
        "open_in" | "fopen" => "write `TextIO.openIn \"file\"`, `TextIO.openOut \"file\"`",
        "throw" | "failwith" | "error" | "panic" => "write `raise Fail \"...\"`",
        "assert" => "write `if ... then () else raise Fail \"...\"`",
        "fst" => "the first part of a pair is `#1 pair`",
        "snd" => "the second part of a pair is `#2 pair`",
        "compose" => "functions are composed with `o`: `(f o g) x`",
        "spawn" | "go" | "fork" => "a thread is made by `CML.spawn (fn () => ...)`",
        "sleep" => "write `OS.Process.sleep (Time.fromMilliseconds 100)`",
        "help" | "?" => "commands of the prompt begin with a colon: `:help`, `:quit`, `:doc List.map`",
        "quit" | "exit" => "the program ends by `OS.Process.exit OS.Process.success`, the prompt by `:quit`",
        "compare" | "cmp" => "write `Int.compare (a, b)`, `String.compare (s, t)`",
        "argv" | "args" | "ARGV" => "a program's arguments are `CommandLine.arguments ()`",
        "time" | "now" => "write `Time.now ()`",
        "random" | "rand" | "randint" => {
            "random numbers are in a library, `CM.make \"$/smlnj-lib.cm\";`: `Random.rand (1, 2)`, `Random.randRange (0, 9) r`"
        }
        "int" | "Integer" => "write `Int.fromString s`, which is an `int option`, or `floor x` for a real",
        "float" | "Float" => "write `Real.fromInt n`, or `Real.fromString s`, which is a `real option`",
        "Array" => "an array is made by `Array.fromList [1, 2]`, `Array.array (10, 0)` or `Array.tabulate`",
        "sizeof" => "write `MLton.size x`",
        name if is_quotation(name) => "the quotations of SML/NJ are not supported: write a string constant",
        "use" => {
            "a file is used by a declaration of its own, inside of nothing, whose name is a constant: `use \"file.sml\";`; \
             a program cannot use one while it runs"
        }
        "load" => {
            "a library is named by `CM.make \"$/smlnj-lib.cm\";` or in an .mlb file; the Basis is there without that"
        }
        "import" | "include" | "require" | "#include" => {
            "a file is used by `use \"file.sml\";`, a library by `CM.make \"$/smlnj-lib.cm\";`, both at top level"
        }
        _ => return None,
    })
}

/// How it is done here what a structure of the Basis has no function for, but other languages' has.
pub(crate) fn absent(structure: &str, name: &str) -> Option<&'static str> {
    Some(match (structure, name) {
        ("List", "sort" | "sortBy" | "sort_by" | "sorted" | "sortWith") => {
            "write `ListMergeSort.sort op > list`; it is in a library, `CM.make \"$/smlnj-lib.cm\";`"
        }
        ("List", "unique" | "uniq" | "dedup" | "distinct" | "nub" | "sort_uniq") => {
            "write `ListMergeSort.uniqueSort Int.compare list`; it is in a library, `CM.make \"$/smlnj-lib.cm\";`"
        }
        ("Array", "sort" | "sortBy" | "sort_by" | "sorted" | "qsort") => {
            "write `ArrayQSort.sort Int.compare array`, which sorts in place; it is in a library, \
             `CM.make \"$/smlnj-lib.cm\";`"
        }
        ("List", "flatMap" | "concatMap" | "concat_map" | "bind") => "write `List.concat (map f list)`",
        ("List", "iteri" | "mapi" | "indexed") => {
            "write `ListPair.app f (List.tabulate (length list, fn i => i), list)`, or `ListPair.map`"
        }
        ("List", "assoc" | "lookup") => "write `List.find (fn (key, _) => key = k) list`",
        ("List", "splitAt" | "split_at") => "write `(List.take (list, n), List.drop (list, n))`",
        ("List", "slice" | "sublist") => "write `List.take (List.drop (list, i), n)`",
        ("Array", "make" | "create" | "new") => "write `Array.array (10, 0)`",
        ("Array", "fill") => "write `Array.modify (fn _ => x) array`",
        ("Array" | "Vector", "push" | "append" | "add") => {
            "its length never changes: a list grows by `x :: xs`; `DynamicArray` is in a library, \
             `CM.make \"$/smlnj-lib.cm\";`"
        }
        ("String", "fromInt" | "ofInt" | "of_int") => "write `Int.toString n`",
        ("String", "make" | "create") => "write `CharVector.tabulate (n, fn _ => #\"a\")`",
        ("String", "padLeft" | "padStart" | "pad") => "write `StringCvt.padLeft #\" \" n s`",
        ("Char", "fromInt" | "ofInt" | "of_int") => "write `chr n`",
        ("Int", "pow") => "write `IntInf.pow (x, n)`",
        ("Int", "MAX" | "maxValue" | "max_int") => "write `valOf Int.maxInt`",
        ("Int", "toHex" | "to_hex") => "write `Int.fmt StringCvt.HEX n`",
        ("Real", "sqrt" | "pow" | "sin" | "cos" | "tan" | "exp" | "ln") => "it is in the structure `Math`",
        ("OS.Path" | "Path", "basename" | "filename") => "write `OS.Path.file path`",
        ("OS.Path" | "Path", "dirname" | "parent") => "write `OS.Path.dir path`",
        ("List", "range") => "write `List.tabulate (n, fn i => i)`",
        ("List", "toArray" | "to_array") => "write `Array.fromList list`",
        ("Array", "toList" | "to_list") => "write `Array.foldr op :: [] array`",
        ("Vector", "toList" | "to_list") => "write `Vector.foldr op :: [] vector`",
        ("Array", "map") => "write `Array.modify f array`, which changes it, or `Vector.map f (Array.vector array)`",
        ("String", "chars" | "toList" | "to_list") => "write `explode s`",
        ("String", "isEmpty" | "is_empty" | "null") => "write `s = \"\"`",
        ("String", "join") => "write `String.concatWith \", \" list`",
        ("Int", "toReal" | "toFloat" | "to_float") => "write `real n`",
        ("Char", "toInt" | "to_int") => "write `ord c`",
        ("TextIO" | "OS.FileSys", "readFile" | "readAllText") => READ_FILE,
        ("TextIO" | "OS.FileSys", "writeFile" | "writeAllText") => WRITE_FILE,
        ("Math", "log") => "the natural logarithm is `Math.ln x`, that of base 10 `Math.log10 x`",
        ("Time", "sleep") => "write `OS.Process.sleep (Time.fromMilliseconds 100)`",
        ("Date", "now" | "today") => "write `Date.fromTimeLocal (Time.now ())`",
        ("OS.FileSys" | "FileSys", "exists") => "write `OS.FileSys.access (\"file\", [])`",
        ("List", "append" | "concatenate" | "plus") => "lists are joined with `@`: `xs @ ys`",
        ("List", "push" | "cons" | "add" | "prepend" | "insert") => "an element is put in front of a list with `::`",
        ("Option", "get" | "unwrap_or" | "unwrapOr" | "withDefault" | "default" | "orElse") => {
            "write `valOf x` where there must be one, `getOpt (x, other)` else"
        }
        ("Math", "max" | "min") => "write `Int.max (a, b)`, `Real.max (a, b)`, `Int.min`, `Real.min`",
        ("Math", "abs" | "floor" | "ceil" | "round" | "trunc") => "write `abs x`, `floor x`, `ceil x`, `round x`",
        ("Math", "random") => {
            "random numbers are in a library, `CM.make \"$/smlnj-lib.cm\";`: `Random.randReal (Random.rand (1, 2))`"
        }
        ("OS", "exit" | "Exit") => "write `OS.Process.exit OS.Process.failure`",
        ("OS", "getenv" | "Getenv") => "write `OS.Process.getEnv \"HOME\"`, which is a `string option`",
        ("OS", "args" | "Args" | "argv") => "a program's arguments are `CommandLine.arguments ()`",
        ("String", "format") => "strings are joined with `^`, numbers made strings by `Int.toString` and `Real.fmt`",
        ("List", "sum") => "write `foldl op + 0 list`",
        ("List", "max" | "maximum") => "write `foldl Int.max (hd list) (tl list)`",
        ("List", "min" | "minimum") => "write `foldl Int.min (hd list) (tl list)`",
        ("List", "contains" | "member" | "mem" | "elem" | "includes") => "write `List.exists (fn y => y = x) list`",
        ("List", "zip" | "combine") => "write `ListPair.zip (list, other)`",
        ("String", "toUpper" | "toUpperCase" | "upper" | "uppercase" | "upcase" | "uppercase_ascii") => {
            "write `String.map Char.toUpper s`"
        }
        ("String", "toLower" | "toLowerCase" | "lower" | "lowercase" | "downcase" | "lowercase_ascii") => {
            "write `String.map Char.toLower s`"
        }
        ("String", "trim" | "strip" | "trimmed") => {
            "write `Substring.string (Substring.dropl Char.isSpace (Substring.dropr Char.isSpace (Substring.full s)))`"
        }
        ("String", "rev" | "reverse") => "write `implode (rev (explode s))`",
        ("String", "repeat" | "replicate") => "write `concat (List.tabulate (n, fn _ => s))`",
        ("String", "replace" | "replaceAll" | "replace_all") => {
            "characters are replaced by `String.translate (fn #\"-\" => \"_\" | c => str c) s`"
        }
        ("String", "indexOf" | "index_of" | "index" | "find") => {
            "write `Substring.position \"text\" (Substring.full s)`, which gives what is before it and the rest"
        }
        ("String", "toInt" | "to_int" | "parseInt") => "write `Int.fromString s`, which is an `int option`",
        ("String", "toReal" | "toFloat" | "toDouble" | "to_float") => {
            "write `Real.fromString s`, which is a `real option`"
        }
        _ => return None,
    })
}

/// What a structure's name of another implementation is here.
pub(crate) fn structure(name: &str) -> Option<&'static str> {
    Some(match name {
        "Control" | "Compiler" => {
            "`Control` is of SML/NJ: how values are shown is set by `:depth`, `:length` and `:string` at the prompt"
        }
        "PolyML" | "RunCall" => {
            "`PolyML` is of Poly/ML: a file is used by `use \"file.sml\";`; how deep values are shown is set by `:depth` \
             at the prompt"
        }
        "PrettyPrint" => "`PrettyPrint` is of SML/NJ: there is `PPStreamFn` in `$/pp-lib.cm`",
        "MLton" => "name `$(SML_LIB)/basis/mlton.mlb` in the .mlb file",
        "Console" | "console" | "fmt" | "System" | "sys" | "io" | "Stdio" | "Printf" => {
            "write `print \"...\"`, or see `TextIO`"
        }
        "File" | "Files" | "Path" | "FS" | "fs" => {
            "files are read and written by the structure `TextIO`: `TextIO.inputAll (TextIO.openIn \"file\")`; names of \
             files are in `OS.Path`, folders in `OS.FileSys`"
        }
        "Str" | "Strings" | "strings" | "Text_IO" => "strings are in the structures `String` and `Substring`",
        "Hashtbl" | "Map" | "Dict" | "Set" | "HashMap" => {
            "maps and sets are in a library, `CM.make \"$/smlnj-lib.cm\";`: `RedBlackMapFn`, `HashTable`, `AtomMap`, ..."
        }
        "Float" | "Double" => "numbers with a fraction are in the structure `Real`",
        "Integer" => "integers are in the structures `Int` and `IntInf`",
        "Optional" | "Maybe" => "options are in the structure `Option`",
        "Mutex" | "Lock" => "a lock is `SyncVar.mVarInit ()`: `SyncVar.mTake lock`, `SyncVar.mPut (lock, ())`",
        "Thread" | "Threads" => "threads are in the structure `CML`: `CML.spawn (fn () => ...)`",
        "Channel" | "Chan" | "Event" => {
            "channels and events are in the structure `CML`: `CML.channel ()`, `CML.recv c`"
        }
        _ => return None,
    })
}

/// A type's name of another language.
pub(crate) fn ty(name: &str) -> Option<&'static str> {
    Some(match name {
        "number" | "Number" => "write `int` for whole numbers, `real` for others",
        "integer" | "Integer" | "i32" | "i64" | "long" | "Int" => "write `int`",
        "float" | "double" | "f64" | "Float" | "Double" => "write `real`",
        "boolean" | "Bool" | "Boolean" => "write `bool`",
        "str" | "String" => "write `string`",
        "void" | "Unit" | "()" => "write `unit`",
        "byte" | "uint8" | "u8" => "write `Word8.word`",
        "uint" | "unsigned" | "u64" => "write `word`",
        "u32" => "write `Word32.word`, or `word`",
        "bigint" | "BigInt" => "write `IntInf.int`",
        "maybe" | "Option" | "Maybe" => "write `option` behind its argument: `int option`",
        "List" | "seq" => "write `list` behind its argument: `int list`",
        "chan" | "channel" => "write `CML.chan` behind its argument: `int CML.chan`",
        "thread" => "write `CML.thread_id`",
        "error" | "exception" => "write `exn`",
        "any" | "object" => "there is no type of all values: a function for all types has type variables, `'a`",
        _ => return None,
    })
}

/// Names that a member of a structure has elsewhere, and what the Basis calls it; the first that is there is meant.
const MEMBERS: &[(&[&str], &[&str])] = &[
    (&["parse", "parseInt", "of_string", "ofString", "valueOf", "read", "fromStr", "from_string"], &["fromString"]),
    (&["to_string", "show", "str", "string", "string_of", "asString", "print"], &["toString", "print"]),
    (&["toint", "to_int", "asInt", "int", "int_of"], &["toInt", "floor", "round"]),
    (&["of_int", "ofInt", "from_int"], &["fromInt"]),
    (&["float", "toFloat", "to_float", "toDouble"], &["toReal", "fromInt"]),
    (&["len", "length", "size", "count", "Length", "cardinal"], &["length", "size", "numItems"]),
    (&["head", "first", "car", "front"], &["hd", "first"]),
    (&["tail", "rest", "cdr"], &["tl"]),
    (&["get", "at", "charAt", "nth", "index", "elem_at", "item"], &["sub", "nth"]),
    (&["set", "put", "store"], &["update", "modify"]),
    (&["fold", "fold_left", "foldLeft", "reduce", "inject"], &["foldl"]),
    (&["fold_right", "foldRight"], &["foldr"]),
    (&["iter", "each", "forEach", "foreach", "for_each"], &["app"]),
    (&["iteri", "eachi"], &["appi"]),
    (&["some", "any", "exist", "contains", "member", "includes"], &["exists", "isSubstring", "member", "inDomain"]),
    (&["every", "for_all", "forall", "forAll"], &["all"]),
    (&["select", "keep", "where"], &["filter"]),
    (&["flatten", "join", "flat"], &["concat", "concatWith", "join"]),
    (&["flatMap", "concat_map", "bind", "andThen"], &["mapPartial", "concatMap"]),
    (&["reverse", "reversed"], &["rev"]),
    (&["isEmpty", "is_empty", "empty"], &["null", "isEmpty"]),
    (&["make", "create", "new", "init"], &["tabulate", "array", "fromList", "channel"]),
    (&["from_list", "of_list", "ofList", "fromArray"], &["fromList"]),
    (&["to_list", "asList"], &["toList", "foldr"]),
    (&["split", "words", "splitOn"], &["tokens", "fields", "partition"]),
    (&["lines"], &["fields", "tokens"]),
    (&["substr", "slice", "sub_string"], &["substring", "slice"]),
    (&["startsWith", "starts_with", "hasPrefix"], &["isPrefix"]),
    (&["endsWith", "ends_with", "hasSuffix"], &["isSuffix"]),
    (&["indexOf", "find_index", "position"], &["findi", "find"]),
    (&["upper", "toUpperCase", "uppercase", "uppercase_ascii"], &["toUpper", "map"]),
    (&["lower", "toLowerCase", "lowercase", "lowercase_ascii"], &["toLower", "map"]),
    (&["code", "ord_of", "toCode"], &["ord"]),
    (&["readLine", "read_line", "getLine", "gets", "input_line", "readline"], &["inputLine"]),
    (&["readAll", "read_all", "readFile"], &["inputAll"]),
    (&["write", "puts", "println", "printf", "print_string", "output_string"], &["output", "print"]),
    (&["open", "open_in", "openFile"], &["openIn"]),
    (&["open_out", "create_file"], &["openOut"]),
    (&["close", "close_in"], &["closeIn"]),
    (&["close_out"], &["closeOut"]),
    (&["zip", "combine"], &["zip", "ListPair.zip"]),
    (&["pow", "power"], &["pow", "**"]),
    (&["modulo", "remainder"], &["mod", "rem"]),
    (&["unwrap", "getOrElse", "get_or", "value"], &["valOf", "getOpt"]),
    (&["isSome", "is_some", "isJust"], &["isSome"]),
    (&["sleep", "delay", "after"], &["timeOutEvt", "sleep"]),
    (&["go", "start", "run", "create_thread"], &["spawn"]),
    (&["receive", "read_chan"], &["recv"]),
    (&["write_chan"], &["send"]),
    (&["choose_one", "race", "wait"], &["select", "choose"]),
];

/// What a member of a structure is called in the Basis, of the names that the structure has.
pub(crate) fn member(name: &str, has: &dyn Fn(Symbol) -> bool) -> Option<Symbol> {
    MEMBERS
        .iter()
        .filter(|(theirs, _)| theirs.contains(&name))
        .flat_map(|(_, ours)| ours.iter())
        .map(|ours| Symbol::intern(ours))
        .find(|&ours| has(ours))
}
