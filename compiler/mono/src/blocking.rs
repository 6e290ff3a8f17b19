//! A `blocking` function of C: a call of C -> stores into a block of C's memory, a job of the pool, a wait, and loads.
//! A `reentrant` one: likewise, but what stands between stores and loads is `reentrant.rs`.
//!
//! ```text
//! val block = foreign_block 19              19 words of C's memory
//! val copy = foreign_copy text              what the collector may move is copied
//! set (block + 24, copy)                    the first integer register
//! val job = foreign_begin block
//! fun wait () = case job_wait job of 0 => wait () | _ => ()
//! val result = get (block + 24)
//! foreign_back (copy, text, 0)
//! foreign_end (block, job)
//! ```
//!
//! The thread waits until C has returned, also when it is cancelled meanwhile: C may work on memory that its caller
//! frees afterwards.

use crate::builder::{Builder, Val};
use crate::ir::{Arms, Atom, Bind, Body, Function, Inline, Outcome, Rhs, Scalar as IrScalar, Ty, TyData};
use leat_abi::foreign::{Foreign, Given, Param, Scalar, block};
use leat_abi::prim::Prim;
use leat_base::Symbol;

impl Builder<'_> {
    pub fn outside(&mut self, foreign: Foreign, args: Vec<Atom>, to: Ty) -> Val {
        let reentrant = foreign.way.is_reentrant();
        let first = args.len() - foreign.params.len();
        let word = self.closing.types.intern(TyData::Scalar(IrScalar::Word));
        let int = self.closing.int;
        for (param, &arg) in foreign.params.iter().zip(&args[first..]) {
            if let Some(scalar) = param.checked() {
                self.check_fits(scalar, arg);
            }
            // Another thread may give the cell another content before C gets it: that one is cut off.
            if let Param::Cell(_) = *param {
                let elem = self.element_of(arg);
                let content = self.atom(Rhs::Prim { prim: Prim::RefGet, tys: vec![elem], args: vec![arg] }, elem);
                self.check_content(*param, elem, content);
            }
        }
        self.settle();
        let filled = block::Filled::new(&foreign);
        // The contents of references stand behind the arguments, and behind a structure that is the result.
        let mut cell = 8 * filled.words();
        let mut words = filled.words() + foreign.cells().count();
        // With a word for the stack the runtime gives nothing but zeros: what lies between fields is 0.
        if foreign.params.iter().any(|param| param.field().is_some()) {
            words = words.max(block::STACK + 1);
        }
        let words = Atom::Int(words as i64);
        let block = if reentrant { Prim::ForeignStack } else { Prim::ForeignBlock };
        let at = self.runtime(block, vec![words], word);
        let code = match args[..first] {
            [address] => address,
            _ => self.address_of(&foreign, word),
        };
        self.put(at, 8 * block::CODE, Scalar::Pointer, code);
        self.put(at, 8 * block::STACKED, Scalar::I64, Atom::Int(filled.stacked as i64));
        self.put(at, 8 * block::FLAGS, Scalar::I64, Atom::Int(filled.flags as i64));
        if let Given::Memory(_) = filled.given {
            let address = self.address_in(at, 8 * (block::STACK + filled.stacked));
            self.put(at, 8 * block::INTEGERS, Scalar::Pointer, address);
        }
        let (mut copies, mut cells) = (Vec::new(), Vec::new());
        for ((param, &arg), &place) in foreign.params.iter().zip(&args[first..]).zip(&filled.places) {
            match *param {
                // Every integer is a whole word, extended by its type.
                Param::Scalar(scalar) if !scalar.is_real() => self.put(at, place, Scalar::I64, arg),
                Param::Checked(_) => self.put(at, place, Scalar::I64, arg),
                Param::Scalar(real) => self.put(at, place, real, arg),
                Param::Field { field, .. } => self.put(at, place, field.scalar, arg),
                Param::Object | Param::Array => {
                    let copy = self.runtime(Prim::ForeignCopy, vec![arg], word);
                    self.put(at, place, Scalar::Pointer, copy);
                    copies.push((copy, arg, *param == Param::Array));
                }
                Param::Cell(scalar) => {
                    let elem = self.element_of(arg);
                    let content = self.atom(Rhs::Prim { prim: Prim::RefGet, tys: vec![elem], args: vec![arg] }, elem);
                    self.put(at, cell, scalar, content);
                    let address = self.address_in(at, cell);
                    self.put(at, place, Scalar::Pointer, address);
                    cells.push((arg, elem, scalar, cell));
                    cell += 8;
                }
            }
        }
        let job = if reentrant {
            self.enter(at);
            None
        } else {
            let job = self.runtime(Prim::ForeignBegin, vec![at], int);
            self.wait_for(job, |b| {
                for &(copy, object, _) in &copies {
                    b.nothing(Prim::ForeignBack, vec![copy, object, Atom::Int(0)]);
                }
                b.nothing(Prim::ForeignEnd, vec![at, job]);
            });
            Some(job)
        };
        let (vars, result) = self.new_scalars(to);
        let scalars = foreign.result.iter().map(|field| field.scalar);
        let given = filled.results(&foreign).into_iter().zip(scalars);
        let error = foreign.way.wants_errno().then_some((8 * block::ERRNO, Scalar::I64));
        for ((place, scalar), var) in given.chain(error).zip(vars) {
            let rhs = self.get(at, place, scalar);
            self.val(vec![var], rhs);
        }
        for (reference, elem, scalar, place) in cells {
            let rhs = self.get(at, place, scalar);
            let content = self.atom(rhs, elem);
            let args = vec![reference, content];
            self.val(Vec::new(), Rhs::Prim { prim: Prim::RefSet, tys: vec![elem], args });
        }
        for (copy, object, changes) in copies {
            self.nothing(Prim::ForeignBack, vec![copy, object, Atom::Int(changes.into())]);
        }
        match job {
            Some(job) => self.nothing(Prim::ForeignEnd, vec![at, job]),
            None => self.nothing(Prim::ForeignLeave, vec![at]),
        }
        result
    }

    pub fn runtime(&mut self, prim: Prim, args: Vec<Atom>, ty: Ty) -> Atom {
        self.atom(Rhs::Prim { prim, tys: Vec::new(), args }, ty)
    }

    /// The address of a byte of the block.
    pub fn address_in(&mut self, at: Atom, byte: usize) -> Atom {
        let word = self.closing.types.intern(TyData::Scalar(IrScalar::Word));
        let args = vec![at, Atom::Int(byte as i64)];
        self.atom(Rhs::Prim { prim: Prim::WordAdd, tys: vec![word], args }, word)
    }

    pub fn put(&mut self, at: Atom, byte: usize, scalar: Scalar, value: Atom) {
        let address = self.address_in(at, byte);
        let args = vec![self.foreign_number(Foreign::set(scalar, String::new())), address, value];
        self.nothing(Prim::ForeignWrite, args);
    }

    pub fn get(&mut self, at: Atom, byte: usize, scalar: Scalar) -> Rhs {
        let address = self.address_in(at, byte);
        let args = vec![self.foreign_number(Foreign::get(scalar, String::new())), address];
        Rhs::Prim { prim: Prim::ForeignRead, tys: Vec::new(), args }
    }

    /// `wait () handle e => (wait (); end; raise e)`: a thread that is interrupted leaves when C has returned.
    fn wait_for(&mut self, job: Atom, end: impl FnOnce(&mut Self)) {
        let body = Builder::body(self, |b: &mut Self| {
            b.wait(job);
            Some(Vec::new())
        });
        let exn = self.fresh_exn();
        let handler = Builder::body(self, |b: &mut Self| {
            b.wait(job);
            end(b);
            b.leave(Outcome::Raise(Atom::Var(exn), b.loc));
            None
        });
        self.val(Vec::new(), Rhs::Handle { body: Box::new(body), exn, handler: Box::new(handler) });
    }

    /// `fun wait () = case job_wait job of 0 => wait () | _ => ()`
    fn wait(&mut self, job: Atom) {
        let int = self.closing.int;
        let arrow = self.closing.types.intern(TyData::Arrow(Vec::new(), Vec::new()));
        let wait = self.fresh(Symbol::intern("wait"), arrow);
        let call = || Rhs::App { f: Atom::Var(wait), args: Vec::new() };
        let body = Builder::function_body(self, |b: &mut Self| {
            let done = b.runtime(Prim::JobWait, vec![job], int);
            let again = Builder::body(b, |b: &mut Self| {
                b.val(Vec::new(), call());
                Some(Vec::new())
            });
            let over = Body { binds: Vec::new(), result: Outcome::Values(Vec::new()) };
            let arms = Arms::Int(vec![(0, again)]);
            b.val(Vec::new(), Rhs::Case { scrut: done, arms, default: Some(Box::new(over)) });
            Some(Vec::new())
        });
        let loc = self.loc;
        let inline = Inline::Auto;
        self.bind(Bind::Fun(vec![Function { var: wait, params: Vec::new(), body, loc, inline, join: true }]));
        self.val(Vec::new(), call());
    }
}
