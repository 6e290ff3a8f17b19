//! Functions of C that call SML, and functions of SML that C calls.
//!
//! ```text
//! _import "qsort" reentrant : ..          _export "less" : (MLton.Pointer.t * MLton.Pointer.t -> bool) -> unit
//!
//! val block = foreign_stack 19            fun less f =
//! set (block + 24, ..)                      foreign_export
//! fun serve state =                           (fn at => set (at, f (get at, get (at + 8))),
//!   case state of                              fn () => serve calls of OS threads, see `served`,
//!     0 => ()                                  address of `leat_export_less`, "a.sml:3: `less`")
//!   | _ =>
//!       (foreign_function state (where the arguments are);
//!        serve (foreign_resume (state, its serial)))
//! serve (foreign_enter block) handle ..
//! .. results, as of a blocking call
//! foreign_leave block
//! ```
//!
//! C runs on a stack of its own, and each call of SML is a return of `foreign_enter` or `foreign_resume`: there is no
//! frame of SML above one of C.

use crate::builder::{Builder, Val};
use crate::ir::{Arms, Atom, Bind, Body, Function, Inline, Outcome, Rhs, Scalar as IrScalar, Ty, TyData, Var};
use leat_abi::foreign::{Foreign, Given, Param, Scalar, block, callback};
use leat_abi::prim::Prim;
use leat_base::Symbol;

impl Builder<'_> {
    /// Calls C on the stack of this block, and evaluates what it calls until it returns. Whatever is raised meanwhile,
    /// by a function or by the loop when the thread is interrupted: C goes on first.
    ///
    /// ```text
    /// fun guard state =
    ///   serve state
    ///   handle e =>
    ///     (case foreign_failed (block, ticket, e) of 0 => raise e | state => guard (foreign_resume (state, its serial)))
    /// ```
    pub fn enter(&mut self, at: Atom) {
        let word = self.word_ty();
        let before = self.runtime(Prim::WordAdd, vec![at, Atom::Int(8 * block::TICKET as i64)], word);
        let ticket = self.get(before, 0, Scalar::U64);
        let ticket = self.atom(ticket, word);
        let state = self.runtime(Prim::ForeignEnter, vec![at], word);
        let guard = self.fresh_function("guard");
        let call = |state| Rhs::App { f: Atom::Var(guard), args: vec![state] };
        let param = self.fresh(Symbol::intern("state"), word);
        let body = Builder::function_body(self, |b: &mut Self| {
            let body = Builder::body(b, |b: &mut Self| {
                b.cycle("serve", Atom::Var(param), |b, state| {
                    // Of now: a continuation may come back here when C waits for something else.
                    let serial = b.word_of(state, callback::SERIAL, Scalar::U64);
                    b.called(state);
                    // What SML has printed stands before what C prints next.
                    b.settle();
                    b.runtime(Prim::ForeignResume, vec![state, serial], word)
                });
                Some(Vec::new())
            });
            let exn = b.fresh_exn();
            let handler = Builder::body(b, |b: &mut Self| {
                let state = b.runtime(Prim::ForeignFailed, vec![at, ticket, Atom::Var(exn)], word);
                let over = Body { binds: Vec::new(), result: Outcome::Raise(Atom::Var(exn), b.loc) };
                let again = Builder::body(b, |b: &mut Self| {
                    let serial = b.word_of(state, callback::SERIAL, Scalar::U64);
                    let next = b.runtime(Prim::ForeignResume, vec![state, serial], word);
                    b.val(Vec::new(), call(next));
                    Some(Vec::new())
                });
                let arms = Arms::Int(vec![(0, over)]);
                b.val(Vec::new(), Rhs::Case { scrut: state, arms, default: Some(Box::new(again)) });
                Some(Vec::new())
            });
            b.val(Vec::new(), Rhs::Handle { body: Box::new(body), exn, handler: Box::new(handler) });
            Some(Vec::new())
        });
        let (loc, inline) = (self.loc, Inline::Auto);
        self.bind(Bind::Fun(vec![Function { var: guard, params: vec![param], body, loc, inline, join: true }]));
        self.val(Vec::new(), call(state));
    }

    /// `f (arguments)`
    fn called(&mut self, state: Atom) {
        let word = self.word_ty();
        let arrow = self.closing.types.intern(TyData::Arrow(vec![word], Vec::new()));
        let f = self.runtime(Prim::ForeignFunction, vec![state], arrow);
        let at = self.word_of(state, callback::ARGUMENTS, Scalar::Pointer);
        self.val(Vec::new(), Rhs::App { f, args: vec![at] });
    }

    /// A word of the call whose state it is.
    fn word_of(&mut self, state: Atom, word: usize, scalar: Scalar) -> Atom {
        let load = self.get(state, 8 * word, scalar);
        let ty = self.word_ty();
        self.atom(load, ty)
    }

    /// A function that takes a state.
    fn fresh_function(&mut self, name: &str) -> Var {
        let word = self.word_ty();
        let arrow = self.closing.types.intern(TyData::Arrow(vec![word], Vec::new()));
        self.fresh(Symbol::intern(name), arrow)
    }

    pub fn fresh_exn(&mut self) -> Var {
        let exn = self.closing.exn;
        self.fresh(Symbol::intern("e"), exn)
    }

    /// `fun f state = case state of 0 => () | _ => f (step state)`, applied to the state.
    fn cycle(&mut self, name: &str, state: Atom, step: impl FnOnce(&mut Self, Atom) -> Atom) {
        let word = self.word_ty();
        let var = self.fresh_function(name);
        let call = |state| Rhs::App { f: Atom::Var(var), args: vec![state] };
        let param = self.fresh(Symbol::intern("state"), word);
        let body = Builder::function_body(self, |b: &mut Self| {
            let again = Builder::body(b, |b: &mut Self| {
                let next = step(b, Atom::Var(param));
                b.val(Vec::new(), call(next));
                Some(Vec::new())
            });
            let over = Body { binds: Vec::new(), result: Outcome::Values(Vec::new()) };
            let arms = Arms::Int(vec![(0, over)]);
            b.val(Vec::new(), Rhs::Case { scrut: Atom::Var(param), arms, default: Some(Box::new(again)) });
            Some(Vec::new())
        });
        let (loc, inline) = (self.loc, Inline::Auto);
        self.bind(Bind::Fun(vec![Function { var, params: vec![param], body, loc, inline, join: true }]));
        self.val(Vec::new(), call(state));
    }

    /// The function that makes one of type `from -> to` known to C: by a name, or by an address that it gives, of type
    /// `whole`.
    pub fn exported(&mut self, foreign: Foreign, function: Ty, whole: Ty, from: Ty, to: Ty) -> Val {
        let name = Symbol::intern(foreign.name.as_deref().unwrap_or("export"));
        let word = self.word_ty();
        self.function(name, function, whole, |b, f| {
            let f = b.boxed(f);
            let unit = b.closing.unit;
            let given = b.function(name, word, unit, |b, at| {
                let at = b.boxed(at);
                b.evaluated(&foreign, f, at, from, to);
                Val::Unit
            });
            let given = b.boxed(&given);
            let served = b.served();
            let slot = match &foreign.name {
                Some(name) => {
                    let slot = Foreign { name: Some(callback::slot(name)), ..foreign.clone() };
                    b.address_of(&slot, word)
                }
                None => Atom::Int(0),
            };
            // The driver makes the symbols of all that are in the table.
            let what = match &foreign.name {
                Some(name) => {
                    b.foreign_number(foreign.clone());
                    format!("`{name}`, exported at {}", foreign.place)
                }
                None => format!("the function exported at {}", foreign.place),
            };
            let what = Atom::Str(b.string(what.as_bytes()));
            // A pointer is a word inside.
            let args = vec![given, served, slot, what, Atom::Int(callback::traits(&foreign) as i64)];
            let address = b.runtime(Prim::ForeignExport, args, word);
            if foreign.name.is_some() { Val::Unit } else { Val::Atom(address) }
        })
    }

    /// The arguments that C has given, the function applied to them, and its result for C.
    fn evaluated(&mut self, foreign: &Foreign, f: Atom, at: Atom, from: Ty, to: Ty) {
        let (places, given) = callback::places(foreign);
        let scalars = foreign.params.iter().map(|param| match *param {
            Param::Scalar(scalar) | Param::Checked(scalar) => scalar,
            Param::Field { field, .. } => field.scalar,
            Param::Cell(_) | Param::Object | Param::Array => panic!("L1: C gives no objects"),
        });
        let mut loads: std::vec::IntoIter<_> = places.into_iter().zip(scalars).collect::<Vec<_>>().into_iter();
        let arg = self.loaded(at, from, &mut loads);
        let args = self.as_params(&arg, from);
        let result = self.results(Rhs::App { f, args }, to);
        let mut values = Vec::new();
        self.numbers(&result, to, &mut values);
        // The address of a result in memory is C's first argument, and goes back to C: it stands in that register
        // still.
        let (at, places) = match given {
            Given::Registers(places) => (at, places),
            Given::Memory(_) => {
                let word = self.word_ty();
                let memory = self.get(at, 8 * callback::INTEGERS, Scalar::Pointer);
                let places = foreign.result.iter().map(|field| field.at as usize).collect();
                (self.atom(memory, word), places)
            }
        };
        let single = foreign.result.len() == 1;
        // What does not fit raises Overflow before anything of the result is written.
        for (field, &(value, ty)) in foreign.result.iter().zip(&values) {
            if self.is_whole_word(ty) && matches!(field.scalar, Scalar::I32 | Scalar::U32) {
                self.check_fits(field.scalar, value);
            }
        }
        for ((field, place), (value, _)) in foreign.result.iter().zip(places).zip(values) {
            // A register has the whole word, extended by its type.
            let whole = single && !field.scalar.is_real();
            self.put(at, place, if whole { Scalar::I64 } else { field.scalar }, value);
        }
    }

    /// A value of the type whose scalars are loaded one after the other.
    fn loaded(&mut self, at: Atom, ty: Ty, loads: &mut std::vec::IntoIter<(usize, Scalar)>) -> Val {
        match self.types().get(ty).clone() {
            TyData::Tuple(parts) => {
                let parts = parts.iter().map(|&part| self.loaded(at, part, loads)).collect();
                self.tuple(ty, parts)
            }
            _ => {
                let (place, scalar) = loads.next().expect("L1: a callback whose parameters are not its type's");
                let rhs = self.get(at, place, scalar);
                Val::Atom(self.atom(rhs, ty))
            }
        }
    }

    /// The scalars of a result, each with its type.
    fn numbers(&mut self, val: &Val, ty: Ty, numbers: &mut Vec<(Atom, Ty)>) {
        match self.types().get(ty).clone() {
            TyData::Tuple(parts) => {
                for (part, &ty) in self.parts(val).iter().zip(&parts) {
                    self.numbers(part, ty, numbers);
                }
            }
            _ => {
                let atom = self.boxed(val);
                numbers.push((atom, ty));
            }
        }
    }

    /// `int` or `word`.
    pub fn is_whole_word(&self, ty: Ty) -> bool {
        ty == self.closing.int || *self.types().get(ty) == TyData::Scalar(IrScalar::Word)
    }

    /// What the runtime's own thread does when OS threads of C's have called: each call is a thread.
    ///
    /// ```text
    /// fun next state =
    ///   case state of
    ///     0 => ()
    ///   | _ => (thread_ready (thread_new (fn () => (.. handle e => foreign_report (state, e); foreign_answer state)));
    ///           next (foreign_next ()))
    /// next (foreign_next ())
    /// ```
    fn served(&mut self) -> Atom {
        let unit = self.closing.unit;
        let word = self.word_ty();
        let whole = self.function(Symbol::intern("callbacks"), unit, unit, |b, _| {
            let first = b.runtime(Prim::ForeignNext, Vec::new(), word);
            b.cycle("next", first, |b, state| {
                let one = b.function(Symbol::intern("callback"), unit, unit, |b, _| {
                    let body = Builder::body(b, |b: &mut Self| {
                        b.called(state);
                        b.settle();
                        Some(Vec::new())
                    });
                    let exn = b.fresh_exn();
                    let handler = Builder::body(b, |b: &mut Self| {
                        b.nothing(Prim::ForeignReport, vec![state, Atom::Var(exn)]);
                        Some(Vec::new())
                    });
                    b.val(Vec::new(), Rhs::Handle { body: Box::new(body), exn, handler: Box::new(handler) });
                    b.nothing(Prim::ForeignAnswer, vec![state]);
                    Val::Unit
                });
                let one = b.boxed(&one);
                let thread = b.closing.types.intern(TyData::Scalar(IrScalar::Thread));
                let thread = b.runtime(Prim::ThreadNew, vec![one], thread);
                b.nothing(Prim::ThreadReady, vec![thread]);
                b.runtime(Prim::ForeignNext, Vec::new(), word)
            });
            Val::Unit
        });
        self.boxed(&whole)
    }

    /// A primitive that gives nothing.
    pub fn nothing(&mut self, prim: Prim, args: Vec<Atom>) {
        self.val(Vec::new(), Rhs::Prim { prim, tys: Vec::new(), args });
    }

    pub fn word_ty(&mut self) -> Ty {
        self.closing.types.intern(TyData::Scalar(IrScalar::Word))
    }
}
