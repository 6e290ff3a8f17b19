//! Programs built by hand: a block under construction, with a method for each common operation.

#![allow(dead_code)]

use leat_ssa::ir::*;

pub struct Build {
    pub f: Function,
    pub at: Block,
    pub line: u32,
}

pub fn program(funcs: Vec<Function>) -> Program {
    Program { funcs, main: Some(Func(0)), files: vec!["test.sml".into()], ..Program::default() }
}

impl Build {
    pub fn new(name: &str, params: &[Ty], results: &[Ty]) -> (Build, Vec<Value>) {
        let mut f = Function::new(name.into(), results.to_vec());
        f.loc = Loc { line: 1, ..Loc::default() };
        let at = f.entry;
        let params = params.iter().map(|&t| f.add_param(at, t)).collect();
        (Build { f, at, line: 1 }, params)
    }

    pub fn op(&mut self, op: Op) -> Value {
        self.line += 1;
        let loc = Loc { line: self.line, ..Loc::default() };
        self.f.push(self.at, op, loc)
    }

    /// An operation with these result types.
    pub fn ops(&mut self, op: Op, types: &[Ty]) -> Vec<Value> {
        self.line += 1;
        let inst = self.f.make(op, types, Loc { line: self.line, ..Loc::default() });
        let results = inst.results.to_vec();
        let at = self.at;
        self.f[at].insts.push(inst);
        results
    }

    pub fn int(&mut self, n: i64) -> Value {
        self.op(Op::Iconst(n))
    }

    pub fn bin(&mut self, op: Binary, a: Value, b: Value) -> Value {
        self.op(Op::Binary(op, a, b))
    }

    pub fn add(&mut self, a: Value, b: Value) -> Value {
        self.bin(Binary::Add, a, b)
    }

    pub fn add_checked(&mut self, op: Ovf, a: Value, b: Value) -> Value {
        let r = self.ops(Op::Ovf(op, a, b), &[Ty::I64, Ty::I64]);
        self.op(Op::Guard(r[1], leat_abi::exn::Builtin::Overflow));
        r[0]
    }

    pub fn cmp(&mut self, c: Cond, a: Value, b: Value) -> Value {
        self.op(Op::Cmp(c, a, b))
    }

    pub fn load(&mut self, ty: Ty, obj: Value, field: u32) -> Value {
        self.op(Op::Load { ty, obj, field, mutable: false })
    }

    pub fn alloc(&mut self, tag: u16, raws: &[Value], refs: &[Value]) -> Value {
        self.op(Op::Alloc { tag, raws: raws.into(), refs: refs.into() })
    }

    pub fn nil(&mut self) -> Value {
        self.op(Op::RefImm(1))
    }

    pub fn call(&mut self, callee: Callee, args: &[Value], types: &[Ty]) -> Vec<Value> {
        self.ops(Op::Call(callee, args.into()), types)
    }

    pub fn block(&mut self) -> Block {
        self.f.new_block()
    }

    pub fn param(&mut self, b: Block, ty: Ty) -> Value {
        self.f.add_param(b, ty)
    }

    pub fn cold(&mut self, b: Block) {
        self.f[b].cold = true;
    }

    pub fn end(&mut self, term: Term) {
        let at = self.at;
        self.f[at].term = term;
    }

    pub fn jump(&mut self, b: Block, args: &[Value]) {
        self.end(Term::Jump(Target::new(b, args.iter().copied())));
    }

    pub fn branch(&mut self, c: Value, a: (Block, &[Value]), b: (Block, &[Value])) {
        self.end(Term::Branch(c, target(a.0, a.1), target(b.0, b.1)));
    }

    pub fn ret(&mut self, values: &[Value]) {
        self.end(Term::Return(values.into()));
    }
}

pub fn target(b: Block, args: &[Value]) -> Target {
    Target::new(b, args.iter().copied())
}
