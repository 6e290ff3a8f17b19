//! The habits: what is written elsewhere, by tokens of one line, and how it is written here.
//!
//! A pattern is a row of words with blanks between them. `<name>`, `<lower>`, `<upper>` (names by their first letter),
//! `<int>`, `<string>`, `<tyvar>`, `<long>`, `<long:Time>`, `<atom>` (what may end an operand), `<argument>` (what may
//! begin one) and `<any>` stand for one token; `...` for as few as possible, `...-a,b` for such without `a` and `b`;
//! `^` for the beginning of the line, `$` for its end. Any other word is a token, or a run of one character that begins
//! none. Before a word, `‿` says that no blank stands there, and `␣` that one does. `{0}` in the advice is the first
//! name of the pattern.
//!
//! `near` are the kinds of messages that a row may speak to (`syntax`, `scope`, `type`), or whole codes; `type:list` is
//! one that speaks of a list; empty: all. What may be right in Standard ML is only taken for a habit where such a
//! message stands in its line, and one about a name or a type must be about the row's own words. The first row that
//! fits counts. Most have a line in `tests/habits.table`.

/// A habit.
pub struct Row {
    pub pattern: &'static str,
    pub near: &'static str,
    pub help: &'static str,
}

/// The table, as groups of patterns with one advice.
macro_rules! table {
    ($($near:literal $($pattern:literal)|+ => $help:expr;)*) => {
        &[$($(Row { pattern: $pattern, near: $near, help: $help },)+)*]
    };
}

const COMMENT: &str = "a comment is written `(* ... *)`";
const LOOP: &str = "a loop is `List.app (fn x => ...) list`, a function that calls itself, or `while ... do ...`; \
                    numbers from 0 to n - 1 are `List.tabulate (n, fn i => i)`";
const CASE: &str = "choices are written `case x of A => ... | B y => ...`";
const IF: &str = "a choice is written `if c then a else b`, and `else` is always there";
const LAMBDA: &str = "a function without a name is written `fn x => ...`";
const FUN: &str = "a function is written `fun f (x, y) = ...`, with types `fun f (x : int) : int = ...`";
const VAL: &str = "a declaration is written `val x = ...`; what is to change is a reference, `val x = ref 0`";
const TRY: &str =
    "an exception is handled by `e handle Div => 0`; what is done in any case is written behind it, or in a function";
const DATATYPE: &str = "a type of several kinds of values is written `datatype t = A | B of int`";
const RECORD: &str = "a record's type is written `type point = {x : int, y : int}`, a record `{x = 1, y = 2}`";
const CLASS: &str = "there are no classes: a `structure` holds a type and its functions, a `signature` says what others see of it, \
                     and a record of functions is an object";
const MODULE: &str = "a module is written `structure M = struct ... end`, its type `signature S = sig ... end`";
const LIBRARY: &str = "a file is used by `use \"file.sml\";`, a library by `CM.make \"$/smlnj-lib.cm\";`, both at top level; \
                       a project lists its files in a .mlb file";
const ELEMENT: &str =
    "the element at an index is `List.nth (xs, i)`, `Vector.sub (v, i)`, `Array.sub (a, i)`, `String.sub (s, i)`";
const CHANGE: &str = "a reference is changed by `r := !r + 1`; other names keep their value";
const UPDATE: &str = "a record is not changed, and there is no form to copy one with another field: write all fields, \
                      `{a = #a r, b = 2}`, or a function that does so";
const GUARD: &str = "rules have no guards: test in the rule, `x => if x > 0 then ... else ...`";
const WORD_BITS: &str =
    "the bits of words are combined by `Word.andb`, `Word.orb`, `Word.xorb`, and shifted by `Word.<< (w, 0w3)`";

pub const TABLE: &[Row] = table! {
    // Comments.
    "" "^ //" | "^ --" | "^ # ␣<any>" | "^ /*" | "/*" | "/**" | "{ ‿-" | "^ <!--" | "^ ; ‿; <any>" | "^ % ␣<name>"
        | "^ ## <any>" | "^ ### <any>" => COMMENT;
    "" "<string> ‿<string> ‿<string>" =>
        "a comment is written `(* ... *)`; a string of several lines has `\\n` in it, or is joined with `^`";
    "" "# ␣<name> <name>" => COMMENT;
    "" "<int> // <int>" | "<name> // <int> $" =>
        "the quotient of integers is `x div y`; a comment is written `(* ... *)`";
    "" "//" => "a comment is written `(* ... *)`; the quotient of integers is `x div y`";

    // Strings.
    "scope" "f ‿<string>" | "$ ‿<string>" | "s ‿<string>" =>
        "a text is put together with `^`: `\"n = \" ^ Int.toString n`";
    "scope type/not-a-function" "\"\" ‿<name> ‿<string>" | "<string> ‿<name> ‿\"\"" =>
        "a quotation mark in a string is written `\\\"`: `\"say \\\"hi\\\"\"`";
    "scope" "r ‿<string>" | "b ‿<string>" | "u ‿<string>" | "L ‿<string>" =>
        "a string is written `\"...\"` without a letter before it; a backslash in it is `\\\\`";

    // Methods.
    "syntax" "<string> ‿. ‿<name>" | "<int> ‿. ‿<name>" | "] ‿. ‿<name>" | ") ‿. ‿<name>" | "} ‿. ‿<name>" =>
        "there are no methods: a function stands before its argument, `String.size s`, `Int.toString n`, `hd list`; \
         the field of a record is `#a r`";
    "syntax" ") ‿. ‿<int>" | "] ‿. ‿<int>" =>
        "the first part of a tuple is `#1 t`, the element at an index `List.nth (xs, i)`";
    "" "} ‿# ‿<name>" | ") ‿# ‿<name>" => "the field of a record is `#a r`";
    "type" "<name> ‿# ‿<name>" => "the field of a record is `#a r`";

    // Lists that are made of lists, loops.
    "" "[ <any> ... <any> for" | "[ ... ‿| ... <-" | "[ ... | ... <-" | "[ ... for ... in" =>
        "lists are made of lists by `map (fn x => ...) xs` and `List.filter (fn x => ...) xs`";
    "" "= function (" | "( function (" | ", function (" => LAMBDA;
    "" "for <name>" | "for (" | "foreach" | "forEach (" | "loop {" | "for {" | "do {" | "while ... {"
        | "while ... : $" | "until" => LOOP;

    // Counting up and down.
    "" "<name> ‿++" | "++ ‿<name>" | "<name> ‿--" | "-- ‿<name>" | "+=" | "-=" | "*=" | "%=" | "^=" => CHANGE;
    "" "--" => "a comment is written `(* ... *)`";

    // Choices and blocks.
    "" "match ...-with with" | "match ... {" | "match <any>" | "switch ( ... )" | "switch <any>" | "select {" => CASE;
    "syntax" "case ...-of,: ->" | "case ...-of : $" => CASE;
    "" "elif" | "elsif" | "elseif" => "write `else if c then ...`";
    "syntax" "if ...-then {" | "if ...-then : $" | "else : $" | "else { $" | "} else {" | "^ } else" => IF;
    "" "? ... :" => IF;
    "" "unless <any>" => "write `if not c then ... else ...`";
    "syntax" "<atom> if ...-then else" | "if ( ...-then ) ␣<any> ...-then $" => IF;
    "" "endif" | "end if" | "done" | "od" | "fi" | "esac" | "end while" =>
        "the end of `if`, `case` and `while` is not marked; where it is not clear, parentheses stand around them";
    "" "begin" => "several steps are written `(e1; e2)`, or `let ... in e1; e2 end`";
    "" "return <any>" | "return $" => "the value of a function is that of its body: write it without `return`";
    "" "break" | "continue" => "a loop that ends early is a function that calls itself";
    "" "^ pass" => "where there is nothing to do, write `()`";

    // Exceptions.
    "" "try" | "catch" | "except :" | "^ except" | "rescue" | "finally" => TRY;
    "type" "raise <string>" => "an exception with a text is raised by `raise Fail \"...\"`";
    "syntax" "throw new" | "throw (" | "throw <upper>" =>
        "an exception is raised by `raise Fail \"...\"`, or by one of your own: `exception Bad of int`, `raise \
         Bad 3`";
    "scope" "throw <any>" =>
        "an exception is raised by `raise Fail \"...\"`, or by one of your own: `exception Bad of int`, `raise \
         Bad 3`";
    "scope" "raise <upper> (" | "raise <upper> <string>" =>
        "an exception is declared before it is raised: `exception Bad of string`, `raise Bad \"...\"`; there is \
         `Fail \"...\"`";
    "" "raise new" | "failwith <any>" | "panic (" | "panic ‿! (" =>
        "an exception is raised by `raise Fail \"...\"`, or by one of your own: `exception Bad of int`, `raise \
         Bad 3`";

    // Before functions, since Rust's begin with a bar too.
    "syntax" "datatype <name> = |" | "datatype <tyvar> <name> = |" | "type <name> = |" | "type <tyvar> <name> = |" =>
        DATATYPE;

    // Functions.
    "" "\\ ... ->" | "\\" | "lambda" | "( <name> =>" | "= <name> =>" | "= ( <name> ) =>" | "( ( <name> ) =>"
        | ", ( <name> ) =>" | "= ( ) =>" | "( ( ) =>" | ", ( ) =>" | "= ( <name> , <name> ) =>"
        | "( ( <name> , <name> ) =>" | ", ( <name> , <name> ) =>" | "( | <name> |" | "( | <name> , <name> |"
        | "= | <name> |" | "= | <name> , <name> |" => LAMBDA;
    "syntax" "= fun <name> =>" | "( fun <name> =>" | "= fun ( ...-) ) =>" | "( fun ( ...-) ) =>" => LAMBDA;
    "syntax" "fun <name> ( ...-(,) ) ->" | "fun <name> ( ...-(,) ) ( ...-(,) ) ->" =>
        "the type of a function's result follows a colon: `fun f (x : int) : int = ...`";
    "syntax" "fn <name> ( ...-=> ) -> ... {" | "fn <name> ( ...-=> {" | "func <name>" | "def <name>"
        | "function <name> (" | "proc <name>" | "defun" | "sub <name> {" => FUN;
    "" "def <name>" | "func <name>" | "func (" | "function <any>" | "function" =>
        "a function is written `fun f (x, y) = ...`, or without a name `fn x => ...`";
    "syntax" "^ fun <name> <argument> ...-=,: ->" => FUN;
    "syntax/expected" "fun <name> ( ...-),{,= =" | "fun <name> <name> ( ...-),{,= =" | "fn ( ...-),{,= =" =>
        "parameters have no values of their own: another function passes what is usual, `fun g x = f (x, 3)`";
    "syntax/expected" "fun <name> ( ...-),{,= <dots>" | "fn ( ...-),{,= <dots>" =>
        "a function takes a fixed number of parameters: any number of values is a list, `fun f list = ...`, `f [1, 2]`";
    "syntax" "fun ...-=,: ->" => LAMBDA;
    "syntax" "fn ...-=>,: ->" => "the arrow of a function is `=>`: `fn x => ...`";
    "syntax" "fun <name> ...-= =>" => "a clause of `fun` has `=`: `fun f x = ...`";
    "syntax" "| ...-of,:,=> ->" => "a rule is written `pattern => expression`";

    // Patterns.
    "syntax" "| else =>" => "the rule for everything else is `_ => ...`";
    "syntax" "of <any> | ...-of,fn,=>,= =>" | "=> ...-of,fn,( | <any> | ...-of,fn,=>,= =>" | "( <any> | <any> ) =>"
        | "( <any> | <any> | <any> ) =>" =>
        "patterns with alternatives are of Successor ML: write a rule for each, `1 => 0 | 2 => 0`";
    "syntax" "of <int> .. <int> =>" | "| <int> .. <int> =>" | "of <int> .. = <int> =>" =>
        "patterns have no ranges: test in the rule, `x => if x >= 1 andalso x <= 9 then ... else ...`";

    // Guards and local declarations.
    "" "| ...-=> when" | "when" => GUARD;
    "syntax" "of <name> if ...-then =>" | "| <name> if ...-then =>" | "fn <name> if ...-then =>" => GUARD;
    "" "otherwise" | "| ... otherwise" => "a choice is written `if c1 then a else if c2 then b else c`";
    "syntax" "fun ...-= | <name> <any> <any> =" | "| <name> > ...-=> =" | "| <name> < ...-=> ="
        | "| <name> >= ...-=> =" | "| <name> <= ...-=> =" =>
        "clauses have no guards: write `fun f x = if c1 then a else if c2 then b else c`";
    "syntax" "where <name>" => "local declarations stand before what uses them: `let val x = ... in ... end`";

    // Declarations.
    "" "{ mutable <name>" | "; mutable <name>" | ", mutable <name>" =>
        "a field that changes is a reference: `{a : int ref}`, `{a = ref 0}`";
    "" "let rec <name>" | "letrec" =>
        "a function that calls itself is written `fun f x = ...`; `let fun f x = ... in ... end` inside of an \
         expression";
    "" "let mut" | "val mut" | "val mutable" | "var <name>" | "val var" | "mutable <name>" | "let var"
        | "mut <name>" => VAL;
    "syntax" "let <name> ... in" | "let ( ... in" =>
        "declarations begin with `val` or `fun`: `let val x = ... in ... end`";
    "" "^ let <name>" | "^ let (" | "let <name> =" | "let <name> :" | "const <name>" | "let const"
        | "^ final <name>" | "^ auto <name>" => VAL;
    "scope syntax" "^ <name> , <name> :=" | "^ <name> , <name> =" =>
        "several names are declared by a pattern: `val (x, y) = f ()`";
    "type/mismatch" "val ref <lower> =" | "val ref <lower> : ...-= =" =>
        "`ref {0}` on the left takes a reference apart; one is made by `val {0} = ref 0`, and changed by `{0} := 1`";
    "syntax" "if let" | "while let" => CASE;
    "scope" "^ <name> = ...-andalso,orelse,then,do,),of,handle $" =>
        "a name is declared by `val x = ...`; `=` compares, and a reference is changed by `r := x`";
    "scope" "^ <name> :=" =>
        "a name is declared by `val x = ...`; `r := x` changes a reference, and at top level stands behind `val \
         () =`";
    "syntax scope" "^ int <name>" | "^ string <name>" | "^ float <name>" | "^ double <name>" | "^ bool <name>"
        | "^ boolean <name>" | "^ char <name>" | "^ String <name>" | "^ void <name>" | "^ long <name>" =>
        "the type of a name follows it: `val x : int = 1`, `fun f (x : int) : int = ...`";
    "scope" "val <lower> <argument> ...-= =" => "a function is declared by `fun`: `fun {0} ... = ...`";
    "syntax" "val <lower> <argument> ...-= =" => "a function is declared by `fun`: `fun {0} ... = ...`";
    "" "^ ␣public" | "^ public" | "^ private" | "^ static" | "^ protected" | "^ abstract" => CLASS;
    "syntax" "if ...-then and" | "while ...-do and" | "= <atom> and <atom> $"
        | "( ...-),=,val,fun,type,datatype,end and" =>
        "a condition of two parts is written `a andalso b`; `and` joins declarations";
    "syntax" "= ... not <atom> and" | "fun ...-and and <name> =" | "fun ...-and and not" | "fun ...-and and <name> >"
        | "fun ...-and and <name> <" | "fun ...-and and <name> >=" | "fun ...-and and <name> <="
        | "fun ...-and and <name> <>" | "( ... = ... and ... = ... )" | "<> <atom> and <atom> $" | "< <atom> and <atom> $"
        | "> <atom> and <atom> $" | "<= <atom> and <atom> $" | ">= <atom> and <atom> $" | "and <atom> <> <atom>"
        | "and <atom> < <atom>" | "and <atom> > <atom>" | "and <atom> <= <atom>" | "and <atom> >= <atom>" =>
        "a condition of two parts is written `a andalso b`; `and` joins declarations";

    // Types and modules.
    "syntax" "type <name> = ... |" | "type <tyvar> <name> = ... |" =>
        "a type of several kinds of values is written `datatype {0} = A of int | B of string`, each with a \
         constructor";
    "syntax" "exception <upper> <lower>" | "exception <upper> (" =>
        "what an exception carries follows `of`: `exception Bad of string`";
    "" "data <name>" | "enum <name>" | "enum {" | "^ newtype" | "^ union" | "sealed" => DATATYPE;
    "" "^ struct <name>" | "pub struct <name>" | "typedef struct" | "^ record <name>" | "^ struct {" => RECORD;
    "syntax" "type <name> struct" | "type <name> interface" => RECORD;
    "" "^ class" | "^ interface" | "^ trait" | "^ impl" | "^ instance" | "^ protocol" | "^ object <name>"
        | "extends" | "implements" => CLASS;
    "" "^ funsig <upper>" | "^ functor <upper> :" =>
        "functors have no signatures of their own, as in SML/NJ: write the signature of the result at the functor, \
         `functor F (X : S) : T = ...`";
    "scope" "lazy val" | "lazy ‿val" | "val lazy <lower> =" =>
        "nothing is lazy by itself: a value that is computed when it is asked for is a function, `fun x () = ...`; to \
         keep it then, use a reference to an option";
    "syntax" "structure <name> {" | "structure <name> = {" | "signature <name> = {" | "signature <name> {"
        | "functor <name> ( ... ) {" | "functor <name> ( ... ) = {" => MODULE;
    "syntax" "functor <upper> ( <upper> : <upper> ," =>
        "a functor of several structures has declarations in its parentheses: `functor F (structure X : S structure Y : \
         T) = ...`";
    "syntax" "structure <upper> = <upper> ( <upper> ," =>
        "several arguments of a functor are declarations: `F (structure X = A structure Y = B)`";
    "syntax" "datatype <lower> <lower> =" | "type <lower> <lower> =" | "datatype <tyvar> , <tyvar>"
        | "type <tyvar> , <tyvar>" =>
        "the parameters of a type stand before its name: `datatype 'a t = ...`, `type ('a, 'b) t = ...`";
    "" "^ module" | "^ mod <name>" | "^ namespace" | "^ package" => MODULE;
    "" "^ import" | "^ from <name> import" | "^ include <string>" | "^ open <string>" | "^ # ‿include" | "^ # ‿require" | "^ using"
        | "^ require" | "^ use <name>" | "^ extern" | "^ export" => LIBRARY;
    "type" "^ # ‿use <string>" => LIBRARY;
    "syntax" "of <name> , <lower>" => "a constructor with several parts has a tuple: `A of int * string`";
    "syntax" "datatype ... <upper> (" | "datatype ... | <upper> (" =>
        "the type of a constructor's argument follows `of`: `A of int * string`";
    "syntax" "datatype ... | <upper> <lower>" | "datatype ... = <upper> <lower>" =>
        "the type of a constructor's argument follows `of`: `A of int`";
    "syntax scope type" "^ <name> :: ... ->" | "^ <name> :: <upper> $" =>
        "a type follows a colon, and stands in the declaration, `fun f (x : int) : int = ...`, or in a signature, \
         `val f : int -> int`";
    "scope syntax" "<upper> ‿:: ‿<any>" | "<lower> ‿:: ‿<lower> ‿(" => "a member of a structure is written `M.f`";
    "syntax scope" "<name> ‿< ‿<name> ‿>" | ": <name> [ <name> ]" | ": <name> ‿[ ‿]" | "val <name> : [ <name> ] ="
        | "<name> < <name> >" =>
        "the argument of a type stands before it: `int list`, `(string, int) pair`";
    "syntax scope" "<name> ‿< ‿<name> ‿, <name> ‿>" | "<name> ‿< ‿<name> ‿," =>
        "the arguments of a type stand before it: `(string, int) pair`";
    "syntax" "{ <name> : ...-},( ;" | "{ <name> = ...-},( ;" =>
        "the fields of a record have commas between them: `{a = 1, b = 2}`, `{a : int, b : string}`; a field that \
         changes is a reference, `{a : int ref}`";

    // Records.
    "syntax" "{ <name> with" | "{ <long> with" | "{ <dots> <name>" | "with {" => UPDATE;
    "" "{ <int> ," | "{ <int> }" =>
        "a tuple is written `(1, 2)`, a list `[1, 2]`; sets are in a library, `RedBlackSetFn`";
    "scope" "{ <name> = ... , <int> }" => "each field of a record has a label: `{a = 1, b = 2}`";
    "syntax" "{ <string> :" =>
        "the labels of a record are names: `{a = 1}`; a map from strings is in a library, `RedBlackMapFn`";
    "" "<long> <-" | "<name> <- <any>" | "] <-" | ") <-" =>
        "a field that changes is a reference in the record, `#x r := 3`; an array is changed by `Array.update (a, \
         i, x)`, and a channel takes a value by `CML.send (c, x)`";
    "" "<-" => "a value is received by `CML.recv c`; a reference is changed by `r := x`";

    // Elements and lists.
    "syntax" ", ]" | ", )" | ", }" => "no comma stands behind the last one";
    "type:list" "] :: [" => "lists are joined with `@`: `xs @ ys`; `::` puts one element in front of a list";
    "type:list" ":: <int>" | ":: <string>" | "<int> @" | "@ <int>" | "<string> @" | "@ <string>" =>
        "a list of one element is written `[x]`: `1 :: [2]`, `[1] @ [2]`";
    "type:ref" ":=" => "what is to change is a reference: `val x = ref 0`, and then `x := 1`";
    "syntax" "[ <dots>" | ", <dots> <name> ]" => "lists are joined with `@`: `xs @ [1]`";
    "syntax" "[ ...-[,(,{,;,] ;" => "the elements of a list have commas between them: `[1, 2]`";
    "type" "= null then" | "<> null then" | "then null else" | "else null $" | "= null andalso" | "<> null andalso" =>
        "a value that may be missing is an option: `NONE` or `SOME x`, and `isSome x` asks";
    "" "[ ... .. ... ]" | "<int> .. <int>" | ".. <int>" | ".." =>
        "the numbers from 0 to n - 1 are `List.tabulate (n, fn i => i)`";
    "" "[ ‿| ... ‿]" | "[ ‿|" => "a vector is written `#[1, 2]`, an array `Array.fromList [1, 2]`";
    "" "<name> ‿. ‿[" | "<name> ‿. ‿(" | ". ‿[" | ". ‿(" | "!!" => ELEMENT;
    "syntax" "<name> ‿[ ... : ... ]" | "<name> ‿[ : ... ]" =>
        "parts of lists are `List.take (xs, n)` and `List.drop (xs, n)`, a part of a string `String.substring (s, \
         i, n)`";
    "type/not-a-function syntax" "<name> ‿[ ...-, ]" | "<string> ‿[ ...-, ]" => ELEMENT;
    "type/overload:list" "+" => "lists are joined with `@`";
    "type" "List.map [" | "List.map <name> ( fn" | "List.app [" | "List.app <name> ( fn" | "List.filter ["
        | "List.filter <name> ( fn" | "map [" | "map <name> ( fn" | "app [" | "app <name> ( fn" | "List.exists ["
        | "List.exists <name> ( fn" | "List.all [" | "List.all <name> ( fn" | "foldl [" | "foldr [" | "List.foldl ["
        | "List.foldr [" | "map ( [" | "List.map ( [" | "app ( [" | "List.app ( [" | "List.filter ( [" | "List.exists ( ["
        | "List.all ( [" => "the function comes first, the list behind it: `map (fn x => ...) list`";

    // Operators.
    "" "+ ‿." | "- ‿." | "* ‿." | "/ ‿." => "integers and reals have the same operators: `1.0 + 2.0`";
    "scope" "<atom> rem <argument>" => "the remainder is written `x mod y`; rounded to zero it is `Int.rem (x, y)`";
    "scope" "<atom> quot <argument>" => "the quotient is written `x div y`; rounded to zero it is `Int.quot (x, y)`";
    "scope" "land" | "lor" | "lxor" | "lsl" | "lsr" | "xor" => WORD_BITS;
    "" "` elem `" | "` notElem `" => "whether a list has an element is `List.exists (fn y => y = x) list`";
    "" "<atom> ` <name> `" | "<atom> ` <long> `" =>
        "an infix operator is written by its name alone, `7 mod 2`; a function becomes one by `infix f`";
    "" "<name> ␣. ␣<name>" | ") ␣. ␣(" | "<name> ␣. ␣(" => "functions are composed with `o`: `(f o g) x`";
    "" "( - <int> )" => "a negative number is written with a tilde: `~2`";
    "" "( + <atom> )" | "( - <atom> )" | "( = <atom> )" | "( > <atom> )" | "( < <atom> )" | "( ^ <atom> )"
        | "( <atom> + )" | "( <atom> - )" | "( <atom> > )" | "( <atom> < )" | "( + )" | "( - )" | "( < )" | "( > )" =>
        "an operator as a function is `op +`; with one operand it is `fn x => x + 1`";
    "" "??" | "?." | "?:" | "? ‿." | ") ‿? $" =>
        "a value that may be missing is an option: `getOpt (x, other)`, `Option.map f x`";
    "syntax" "<int> : [" | "<int> : <name> $" | "<name> : [" => "an element is put in front of a list with `::`";
    "scope" "( x ‿: xs )" | "( y ‿: ys )" | "( h ‿: t )" | "( hd ‿: tl )" | "( head ‿: tail )" =>
        "a list's first element and its rest are the pattern `x :: xs`";
    "" "typeof <any>" | "instanceof" =>
        "types are known before the program runs; a value of several kinds is taken apart by `case`";
    "scope" "==" | "===" => "equality is written `=`";
    "scope" "!=" | "!==" | "/=" | "~=" | "=/=" | "=\\=" => "inequality is written `<>`";
    "syntax" "==" => "equality is written `=`";
    "syntax" "!=" | "~=" => "inequality is written `<>`";
    "" "&&" => "a condition of two parts is written `a andalso b`";
    "" "||" => "one of two conditions is written `a orelse b`";
    "" "**" => "a power of reals is `Math.pow (x, y)`, of integers `IntInf.pow (x, n)`";
    "scope type" "<string> % <any>" =>
        "a text is put together with `^` and `Int.toString`: `\"n = \" ^ Int.toString n`";
    "scope syntax" "%" => "the remainder is written `x mod y`";
    "" "= & ‿<name>" | "( & ‿<name>" | ", & ‿<name>" | ": & ‿<name>" =>
        "there are no addresses: what is to be changed is a reference, `val r = ref 0`, and `!r` is what it holds";
    "scope" "<<" | ">>" | ">>>" | "&" => WORD_BITS;
    "scope" "|>" | "<|" | "$" | "@@" | "&." =>
        "a function is applied by writing its argument behind it, `f (g x)`; functions are composed with `o`";
    "scope" "++" | "<>" => "strings are joined with `^`, lists with `@`";
    "type:string" "<string> +" | "+ <string>" => "strings are joined with `^`: `\"a\" ^ \"b\"`";
    "type" "print <string> ^" | "print <name> ^" | "print ( ...-(,) ) ^" | "print <long> <argument>" =>
        "an argument that is put together needs parentheses: `print (\"a\" ^ \"b\")`";
    "type" "print ( ...-(,),[,{ ," => "`print` takes one string: `print (\"n = \" ^ Int.toString n ^ \"\\n\")`";
    "type:ref" "! <argument>" => "`!r` is what the reference `r` holds; the negation of a condition is `not c`";
    "type/overload:bool" "< <any> <" | "< <any> <=" | "<= <any> <" | "<= <any> <=" | "> <any> >"
        | ">= <any> >=" =>
        "two comparisons are joined by `andalso`: `a < b andalso b < c`";
    "type:bool" "not <atom> =" | "not <atom> <" | "not <atom> >" =>
        "`not` takes what stands next to it: write `not (a = b)`, or `a <> b`";
    "type:string" "length <string>" | "length <name>" | "List.length <string>" => "the length of a string is `size s`";
    "syntax" "<any> not in" | "if <atom> in" | "<atom> in <name> then" =>
        "whether a list has an element is `List.exists (fn y => y = x) list`";
    "syntax" "if not <name> in" => "whether a list has an element is `List.exists (fn y => y = x) list`";
    "type/overload:time" "-" | "+" | "<" | ">" | "<=" | ">=" =>
        "`+`, `-` and `<` are for numbers: those of times are `Time.+ (a, b)`, `Time.- (a, b)`, `Time.< (a, b)`";
    "scope syntax" "<atom> as <name> $" | "<atom> as i32" | "<atom> as f64" =>
        "a number is made of another by `Real.fromInt n`, `Real.round x`, `Word.fromInt n`";
    "type scope" "( int ) <any>" | "( float ) <any>" | "( double ) <any>" | "( real ) <any>" | "( string ) <any>" =>
        "a number is made of another by `Real.fromInt n`, `Real.round x`; a text by `Int.toString n`";
    "type:char" "str <argument>" =>
        "`str` makes a string of a character; of numbers they are made by `Int.toString n`, `Real.toString x`";
    "scope" "int (" | "float (" | "str (" =>
        "a number is made of another by `Real.fromInt n`, `Real.round x`; a text by `Int.toString n`";
    "syntax" "+ ‿<int>" => "a positive number has no sign";

    // What is asked of the system, and of others.
    "" "<name> ‿! ‿(" | "<name> ‿! ‿[" =>
        "there are no macros: `print (\"n = \" ^ Int.toString n)` writes a text, `[1, 2]` is a list";
    "" "^ # ‿[ derive" | "^ # ‿[ test" => "there are no attributes";
    "" "^ # ‿define <any>" | "^ typedef" => "a constant is written `val x = 3`, a name of a type `type t = int * int`";
    "" "with open (" => "a file is read by `TextIO.openIn \"file\"`, and closed by `TextIO.closeIn`";
    "" "^ del <name>" | "^ global <name>" | "^ nonlocal <name>" => CHANGE;
    "" "new <name>" =>
        "there is no `new`: a value is made by a constructor or a function, as `SOME 1`, `ref 0`, `Array.array \
         (10, 0)`";
    "scope" "^ main =" | "^ main ( )" =>
        "a program has no `main`: its declarations are evaluated in turn, and `val () = main ()` calls a function";
    "" "^ @ ‿<name>" =>
        "there are no decorators: a function that changes another is applied to it, `val f = trace f`";
    "" "go <any>" | "go func" => "a thread is made by `CML.spawn (fn () => ...)`";
    "" "defer <any>" =>
        "what is done in any case is written behind the expression, or in a function: `(f () handle e => (close \
         (); raise e)) before close ()`";
    "" "await <any>" | "^ async" | "async <any>" | "yield <any>" =>
        "a thread may wait anywhere: a function that waits is an ordinary one; a thread is made by `CML.spawn`";
    "scope syntax" "<long:this>" | "<long:self>" | "<long:super>" => CLASS;
    "syntax" "^ do <any>" => "`do e` at top level is of Successor ML: write `val () = e`";
    "syntax" "=> ...-(,) ; <upper> ...-(,),| =>" | "=> ...-(,),[,{ , <upper> ...-(,),| =>" =>
        "rules have `|` between them: `case x of A => 1 | B => 2`";
};
