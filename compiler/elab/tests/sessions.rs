//! Several units in a row, as in the REPL; and an image between them, as when Leat starts.

mod common;

use leat_elab::{Basis, Tables};

/// Writes what is known as an image, and goes on from there.
fn reload(session: common::Session) -> common::Session {
    let bytes = postcard::to_stdvec(&(&session.tables, &session.basis)).unwrap();
    let (tables, basis): (Tables, Basis) = postcard::from_bytes(&bytes).unwrap();
    common::Session { tables, basis, ..session }
}

fn good(session: &mut common::Session, text: &str) {
    let out = session.unit("unit", text);
    assert!(!leat_base::diagnostic::has_errors(&out.diagnostics), "{text}\n{}", session.render(&out.diagnostics));
}

#[test]
fn units_and_images() {
    let run = || {
        let mut s = common::Session::new();
        good(&mut s, "datatype 'a option = NONE | SOME of 'a fun valOf (SOME x) = x exception Gone of int");
        good(&mut s, "signature ORD = sig type t val less : t * t -> bool end");
        good(
            &mut s,
            "functor Max (O : ORD) :> sig type elem = O.t type pair val pair : elem * elem -> pair val max : pair -> elem end =
             struct type elem = O.t datatype pair = P of elem * elem exception Never
               fun pair p = P p fun max (P (a, b)) = if O.less (a, b) then b else a end",
        );
        good(&mut s, "val r = ref NONE val id = fn x => x");
        assert_eq!(s.type_of("r"), "unit option ref");
        let mut s = reload(s);
        good(&mut s, "structure M = Max (type t = int val less = op <) val three = M.max (M.pair (1, 3))");
        assert_eq!(s.type_of("three"), "int");
        good(
            &mut s,
            "structure N = Max (struct type t = string fun less (a, b : t) = a < b end) val z = N.max (N.pair (\"\", \"z\"))",
        );
        let out = s.unit("unit", "val bad = M.max (N.pair (\"\", \"\"))");
        assert!(leat_base::diagnostic::has_errors(&out.diagnostics), "the pairs of two applications are two types");
        // A unit with errors leaves what it could make of the rest.
        good(&mut s, "val x = valOf (SOME three) handle Gone n => n");
        assert_eq!(s.type_of("x"), "int");
        good(&mut s, "datatype t = A val a = A");
        good(&mut s, "datatype t = B val b = B");
        let out = s.unit("unit", "val l = [a, b]");
        let text = s.render(&out.diagnostics);
        assert!(text.contains("`?.t`"), "{text}");
        let mut s = reload(s);
        for i in 0..300 {
            good(&mut s, &format!("val v{i} = id {i}"));
        }
        assert_eq!(s.type_of("v0"), "int");
        assert!(s.basis.layers().count() < 20);
        let hidden = s.basis.without_names_ending_in_prime();
        assert!(hidden.ty(leat_base::Symbol::intern("word8")).is_none());
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
}
