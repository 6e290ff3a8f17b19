//! An object file, linked by the system's linker with a C runtime of a page, runs; its tables agree with its code.

mod mock {
    pub mod build;
}

use std::process::Command;

use leat_abi::prim::Prim;
use leat_ssa::ir::*;
use leat_translate::{Level, Options, emit_object};
use mock::build::{Build, program};

/// Makes a list by recursion, adds it up, prints through a closure in static data, sets a global.
fn subject() -> Program {
    let (mut k, p) = Build::new("Text.print it", &[Ty::Ref], &[]);
    k.f.is_closure = true;
    let text = k.load(Ty::Ref, p[0], 1);
    k.call(Callee::Prim(Prim::Print), &[text], &[]);
    k.ret(&[]);

    let (mut u, p) = Build::new("List.upto", &[Ty::I64], &[Ty::Ref]);
    let (done, more) = (u.block(), u.block());
    let zero = u.int(0);
    let c = u.cmp(Cond::Eq, p[0], zero);
    u.branch(c, (done, &[]), (more, &[]));
    u.at = done;
    let nil = u.nil();
    u.ret(&[nil]);
    u.at = more;
    let one = u.int(1);
    let n = u.add_checked(Ovf::Sub, p[0], one);
    let tail = u.call(Callee::Func(Func(2)), &[n], &[Ty::Ref])[0];
    let cell = u.alloc(0, &[p[0]], &[tail]);
    u.ret(&[cell]);

    let (mut f, _) = Build::new("main", &[], &[]);
    let closure = f.op(Op::Data(Data(1)));
    f.call(Callee::Closure(closure), &[], &[]);
    let n = f.int(20);
    let list = f.call(Callee::Func(Func(2)), &[n], &[Ty::Ref])[0];
    let (loop_, body, out) = (f.block(), f.block(), f.block());
    let (l, s) = (f.param(loop_, Ty::Ref), f.param(loop_, Ty::I64));
    let zero = f.int(0);
    f.jump(loop_, &[list, zero]);
    f.at = loop_;
    let c = f.op(Op::IsImm(l));
    f.branch(c, (out, &[]), (body, &[]));
    f.at = body;
    let x = f.load(Ty::I64, l, 0);
    let s2 = f.add(s, x);
    let rest = f.load(Ty::Ref, l, 1);
    f.jump(loop_, &[rest, s2]);
    f.at = out;
    let real = f.op(Op::Unary(Unary::FOfInt, s));
    let half = f.op(Op::Fconst(0.5f64.to_bits()));
    let real = f.bin(Binary::FAdd, real, half);
    let real = f.op(Op::Unary(Unary::FFloor, real));
    let two = f.op(Op::Fconst(2.0f64.to_bits()));
    let square = f.call(Callee::Prim(Prim::RealPow), &[real, two], &[Ty::F64])[0];
    let r = f.op(Op::Unary(Unary::FToInt, square));
    f.op(Op::GlobalStore(Global(0), r));
    f.call(Callee::Closure(closure), &[], &[]);
    f.ret(&[]);

    let mut p = program(vec![f.f, k.f, u.f]);
    p.globals = vec![Ty::I64, Ty::Ref];
    p.datas = vec![
        StaticData::bytes(b"hello from an object"),
        StaticData::Record { tag: 0, raws: vec![RawInit::Code(Func(1))], refs: vec![RefInit::Data(Data(0))] },
    ];
    leat_ssa::safepoint::run(&mut p);
    p
}

#[test]
fn an_object_links_and_runs() {
    if Command::new("cc").arg("--version").output().is_err() {
        eprintln!("no C compiler: not tested");
        return;
    }
    let dir = tempfile::TempDir::new().expect("a folder");
    let dir = dir.path();
    let runtime = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/link/runtime.c");
    for (level, align, pie) in [(Level::Speed, 8, "-pie"), (Level::Fast, 32, "-pie"), (Level::Speed, 16, "-no-pie")] {
        let options = Options { level, align, verify: true, ..Options::default() };
        let bytes = emit_object(&subject(), &options).expect("an object");
        let (object, program) = (dir.join("program.o"), dir.join("program"));
        std::fs::write(&object, bytes).expect("written");
        let position = if pie == "-pie" { "-fPIE" } else { "-fno-pie" };
        let link = Command::new("cc")
            .args([position, pie, "-Wl,--fatal-warnings", "-o"])
            .arg(&program)
            .arg(&object)
            .arg(runtime)
            .output();
        let link = link.expect("cc runs");
        assert!(link.status.success(), "{}", String::from_utf8_lossy(&link.stderr));
        let run = Command::new(&program).output().expect("it runs");
        let text = String::from_utf8_lossy(&run.stdout);
        let line = "test.sml:3 Text.print it: hello from an object\n";
        assert_eq!(text, format!("{line}{line}2 globals, first {}, align {align}\n", 210 * 210), "{:?}", run.status);
    }
}
