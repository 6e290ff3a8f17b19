//! Foreign functions: what an `_import` says -> a function whose body is a call of C, with its arguments checked.

use crate::builder::{Builder, Val};
use crate::ir::{Atom, Bind, Function, Inline, Rhs, Ty, TyData, Var};
use leat_abi::foreign::{Foreign, Param, Scalar, Way};
use leat_abi::prim::Prim;
use leat_base::Symbol;

/// What is added to an int so that the sum overflows where a C type ends: above, below.
const I32_ENDS: [i64; 2] = [i64::MAX - i32::MAX as i64, i64::MIN - i32::MIN as i64];
const U32_ENDS: [i64; 2] = [i64::MAX - u32::MAX as i64, i64::MIN];

impl Builder<'_> {
    /// The value of a foreign name: `shape` are the closed types of the functions that it is made of, outermost first.
    pub fn foreign(&mut self, foreign: Foreign, shape: &[(Ty, Ty)], ty: Ty) -> Val {
        let name = Symbol::intern(foreign.name.as_deref().unwrap_or("import"));
        match (foreign.way, shape) {
            (Way::Address, _) => Val::Atom(self.address_of(&foreign, ty)),
            (Way::Symbol, &[(unit, content)]) => {
                let word = TyData::Scalar(crate::ir::Scalar::Word);
                let word = self.closing.types.intern(word);
                let address = self.address_of(&foreign, word);
                self.variable(name, foreign, address, (unit, content), ty)
            }
            (Way::Symbol, &[(pointer, pair), ends]) => self.function(name, pointer, pair, |b, address| {
                let address = b.boxed(address);
                b.variable(name, foreign, address, ends, pair)
            }),
            (Way::Export, &[(function, to), (of, gives)]) => self.exported(foreign, function, to, of, gives),
            (_, &[(from, to)]) => self.imported(name, foreign, None, from, to),
            (_, &[(pointer, function), (from, to)]) => self.function(name, pointer, function, |b, address| {
                let address = b.boxed(address);
                b.imported(name, foreign, Some(address), from, to)
            }),
            _ => panic!("L1: a foreign function without its type"),
        }
    }

    /// A variable of C, by its address: the functions that read and write it. `unit` is what the reader takes and the
    /// writer gives.
    fn variable(&mut self, name: Symbol, foreign: Foreign, address: Atom, (unit, content): (Ty, Ty), ty: Ty) -> Val {
        let scalar = foreign.scalar().unwrap_or(Scalar::Pointer);
        let (read, write) = (Foreign::get(scalar, foreign.place.clone()), Foreign::set(scalar, foreign.place));
        let get = self.function(name, unit, content, |b, _| b.foreign_call(read, vec![address], content));
        let set = self.function(name, content, unit, |b, value| {
            let value = b.boxed(value);
            if b.is_whole_word(content) && matches!(scalar, Scalar::I32 | Scalar::U32) {
                b.check_fits(scalar, value);
            }
            b.foreign_call(write, vec![address, value], unit)
        });
        let (get, set) = (self.boxed(&get), self.boxed(&set));
        let pair = self.atom(Rhs::Tuple(vec![get, set]), ty);
        self.val_of(pair, ty)
    }

    pub fn address_of(&mut self, foreign: &Foreign, ty: Ty) -> Atom {
        let result = Foreign::gives(Scalar::Pointer);
        let foreign = Foreign { way: Way::Address, params: vec![], result, ..foreign.clone() };
        let number = self.foreign_number(foreign);
        self.atom(Rhs::Prim { prim: Prim::ForeignPure, tys: Vec::new(), args: vec![number] }, ty)
    }

    /// A function that calls C: by its name, or by its address.
    fn imported(&mut self, name: Symbol, foreign: Foreign, address: Option<Atom>, from: Ty, to: Ty) -> Val {
        self.function(name, from, to, |b, arg| {
            let mut args: Vec<Atom> = address.into_iter().collect();
            b.scalars(arg, &mut args);
            b.foreign_call(foreign, args, to)
        })
    }

    /// What C gets of a tuple: structures are tuples, too.
    fn scalars(&mut self, arg: &Val, scalars: &mut Vec<Atom>) {
        match arg {
            Val::Tuple(_) | Val::Unit => {
                for part in self.parts(arg) {
                    self.scalars(&part, scalars);
                }
            }
            Val::Atom(atom) => scalars.push(*atom),
        }
    }

    pub fn function(&mut self, name: Symbol, from: Ty, to: Ty, f: impl FnOnce(&mut Self, &Val) -> Val) -> Val {
        let ty = self.closing.arrow(from, to);
        let var = self.fresh(name, ty);
        let loc = self.loc;
        let mut params = Vec::new();
        let body = Builder::function_body(self, |b: &mut Self| {
            let (vars, arg) = b.new_params(b.temp, from);
            params = vars;
            let result = f(b, &arg);
            Some(b.as_results(&result, to))
        });
        let inline = Inline::Auto;
        self.bind(Bind::Fun(vec![Function { var, params, body, loc, inline, join: false }]));
        Val::Atom(Atom::Var(var))
    }

    /// The call itself: arguments are checked, contents of cells go in and come out.
    fn foreign_call(&mut self, foreign: Foreign, mut args: Vec<Atom>, to: Ty) -> Val {
        if matches!(foreign.way, Way::Blocking | Way::BlockingErrno) || foreign.way.is_reentrant() {
            return self.outside(foreign, args, to);
        }
        let first = args.len() - foreign.params.len();
        let mut cells = Vec::new();
        for (param, arg) in foreign.params.iter().zip(&mut args[first..]) {
            if let Some(scalar) = param.checked() {
                self.check_fits(scalar, *arg);
            }
            if let Param::Cell(_) = param {
                let elem = self.element_of(*arg);
                cells.push((*arg, elem));
                *arg = self.atom(Rhs::Prim { prim: Prim::RefGet, tys: vec![elem], args: vec![*arg] }, elem);
                self.check_content(*param, elem, *arg);
            }
        }
        let prim = match foreign.way {
            Way::Call | Way::Errno => Prim::ForeignCall,
            Way::Blocking | Way::BlockingErrno | Way::Reentrant | Way::ReentrantErrno | Way::Symbol | Way::Export => {
                panic!("L1: no call of C")
            }
            Way::Leaf | Way::Set => Prim::ForeignWrite,
            Way::Get => Prim::ForeignRead,
            Way::Pure | Way::Address if cells.is_empty() => Prim::ForeignPure,
            Way::Pure | Way::Address => Prim::ForeignWrite,
        };
        if prim == Prim::ForeignCall {
            self.settle();
        }
        args.insert(0, self.foreign_number(foreign));
        let (mut vars, result) = self.new_scalars(to);
        let contents: Vec<Var> = cells.iter().map(|&(_, elem)| self.fresh(self.temp, elem)).collect();
        vars.extend(&contents);
        self.val(vars, Rhs::Prim { prim, tys: Vec::new(), args });
        for ((cell, elem), content) in cells.into_iter().zip(contents) {
            let args = vec![cell, Atom::Var(content)];
            self.val(Vec::new(), Rhs::Prim { prim: Prim::RefSet, tys: vec![elem], args });
        }
        result
    }

    /// Overflow where the content of a cell does not fit: C would see, and leave, another number.
    pub fn check_content(&mut self, param: Param, elem: Ty, content: Atom) {
        if let Param::Cell(scalar @ (Scalar::I32 | Scalar::U32)) = param
            && self.is_whole_word(elem)
        {
            self.check_fits(scalar, content);
        }
    }

    pub fn check_fits(&mut self, scalar: Scalar, arg: Atom) {
        if scalar == Scalar::I32 {
            return self.check(arg, I32_ENDS);
        }
        let int = self.closing.int;
        let bits = Rhs::Prim { prim: Prim::Bits, tys: Vec::new(), args: vec![arg] };
        let signed = self.atom(bits, int);
        self.check(signed, U32_ENDS);
    }

    /// Overflow where an int is outside of the C type.
    fn check(&mut self, arg: Atom, ends: [i64; 2]) {
        for end in ends {
            let int = self.closing.int;
            self.atom(Rhs::Prim { prim: Prim::IntAdd, tys: Vec::new(), args: vec![arg, Atom::Int(end)] }, int);
        }
    }

    pub fn element_of(&self, cell: Atom) -> Ty {
        let Atom::Var(var) = cell else { panic!("M2: a cell is no variable") };
        match self.types().get(self.vars[var.0 as usize].ty) {
            TyData::Ref(elem) => *elem,
            other => panic!("M2: a cell of type {other:?}"),
        }
    }

    pub fn foreign_number(&mut self, foreign: Foreign) -> Atom {
        let known = self.foreigns.iter().position(|other| *other == foreign);
        let number = known.unwrap_or_else(|| {
            self.foreigns.push(foreign);
            self.foreigns.len() - 1
        });
        Atom::Int(number as i64)
    }
}
