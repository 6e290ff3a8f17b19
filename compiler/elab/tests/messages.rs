//! Golden messages: `messages.txt` holds programs, each after a line `=====`, and after `-----` what is said about it.
//! `LEAT_BLESS=1 cargo test -p leat-elab --test messages` writes the answers anew; look at the difference.

mod common;

const PRELUDE: &str = "val op ! = _prim \"ref_get\" : 'a ref -> 'a val op := = _prim \"ref_set\" : 'a ref * 'a -> unit
val op ^ = _prim \"string_concat\" : string * string -> string
datatype 'a option = NONE | SOME of 'a
fun rev l = let fun go (nil, r) = r | go (x :: xs, r) = go (xs, x :: r) in go (l, nil) end
fun app f nil = () | app f (x :: xs) = (f x; app f xs)
structure List = struct fun map f nil = nil | map f (x :: xs) = f x :: map f xs fun length l = 0 fun filter f l = l end
structure Int = struct val toString = _prim \"int_to_string\" : int -> string end
val print = _prim \"print\" : string -> unit";

#[test]
fn messages() {
    let run = || {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages.txt");
        let golden = std::fs::read_to_string(&path).unwrap();
        let mut answer = String::new();
        for case in golden.split("=====\n").filter(|c| !c.trim().is_empty()) {
            let program = case.split("-----\n").next().unwrap_or(case);
            let mut session = common::Session::new();
            let prelude = session.unit("prelude", PRELUDE);
            assert!(prelude.diagnostics.is_empty());
            let out = session.unit("a.sml", program);
            assert!(!out.diagnostics.is_empty(), "nothing is said about\n{program}");
            answer.push_str(&format!("=====\n{program}-----\n{}", session.render(&out.diagnostics)));
        }
        if std::env::var_os("LEAT_BLESS").is_some() {
            std::fs::write(&path, answer).unwrap();
        } else if answer != golden {
            let other = golden.lines().zip(answer.lines()).find(|(a, b)| a != b);
            panic!("the messages changed (LEAT_BLESS=1 writes them anew); first: {other:#?}");
        }
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
}
