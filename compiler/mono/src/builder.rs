//! Writing bodies: bindings in order, and values that are known by their parts.
//!
//! A tuple is kept as its parts, as one boxed value, or both. It is boxed at most once for each evaluation of its
//! binding and closure that needs it: where a function around the use did not make the tuple, it is boxed before that
//! function. Parts of a boxed tuple are selected where they are first used. What was made in a body is forgotten at its
//! end.

use crate::closing::Closing;
use crate::ir::*;
use leat_base::{Symbol, symbol::sym};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A value while it is being translated.
#[derive(Clone)]
pub(crate) enum Val {
    /// Not a tuple.
    Atom(Atom),
    Unit,
    /// Of two parts or more.
    Tuple(Rc<Tuple>),
}

pub(crate) struct Tuple {
    ty: Ty,
    /// Functions around the place where it was made.
    depth: u32,
    boxed: Cell<Option<Atom>>,
    /// All there, unless it is boxed.
    parts: RefCell<Vec<Option<Val>>>,
}

impl Val {
    /// Adds the variables that hold the value.
    pub fn add_vars(&self, vars: &mut FxHashSet<Var>) {
        match self {
            Val::Atom(Atom::Var(var)) => {
                vars.insert(*var);
            }
            Val::Tuple(tuple) => {
                if let Some(Atom::Var(var)) = tuple.boxed.get() {
                    vars.insert(var);
                }
                tuple.parts.borrow().iter().flatten().for_each(|part| part.add_vars(vars));
            }
            Val::Atom(_) | Val::Unit => {}
        }
    }
}

enum Made {
    Box(Rc<Tuple>),
    Part(Rc<Tuple>, u32),
}

/// A body being written.
pub(crate) struct Block {
    binds: Vec<Bind>,
    depth: u32,
    made: Vec<Made>,
    /// Control does not come to its end: how it leaves instead.
    done: Option<Outcome>,
}

pub(crate) struct Builder<'t> {
    pub closing: Closing<'t>,
    pub vars: Vec<VarInfo>,
    pub strings: Vec<Box<[u8]>>,
    string_of: FxHashMap<Box<[u8]>, u32>,
    blocks: Vec<Block>,
    /// Functions around.
    depth: u32,
    /// Of the expression at hand.
    pub loc: Loc,
    pub temp: Symbol,
    /// Names that stages made up; a variable of the program that is the same value lends its own.
    made_up: Vec<Symbol>,
    /// See [`Program::foreign`].
    pub foreigns: Vec<leat_abi::foreign::Foreign>,
}

pub(crate) const TRUE: Atom = Atom::Con(BOOL, 1);
pub(crate) const FALSE: Atom = Atom::Con(BOOL, 0);

impl<'t> Builder<'t> {
    pub fn new(closing: Closing<'t>) -> Builder<'t> {
        Builder {
            closing,
            vars: Vec::new(),
            strings: Vec::new(),
            string_of: FxHashMap::default(),
            blocks: Vec::new(),
            depth: 0,
            loc: Loc::default(),
            temp: Symbol::intern("t"),
            made_up: ["t", "arg", "arg1", "arg2", "arg3", "arg4", "part", "vars", "field", "scrut", "bound", "r"]
                .map(Symbol::intern)
                .to_vec(),
            foreigns: Vec::new(),
        }
    }

    pub fn types(&self) -> &Types {
        &self.closing.types
    }

    pub fn fresh(&mut self, name: Symbol, ty: Ty) -> Var {
        self.vars.push(VarInfo { name, ty });
        Var(self.vars.len() as u32 - 1)
    }

    /// A variable that had no name of its own is called so.
    pub fn rename(&mut self, val: &Val, name: Symbol) {
        if let Val::Atom(Atom::Var(var)) = val {
            let info = &mut self.vars[var.0 as usize];
            if self.made_up.contains(&info.name) && !self.made_up.contains(&name) {
                info.name = name;
            }
        }
    }

    pub fn string(&mut self, text: &[u8]) -> u32 {
        if let Some(&i) = self.string_of.get(text) {
            return i;
        }
        let i = self.strings.len() as u32;
        self.strings.push(text.into());
        self.string_of.insert(text.into(), i);
        i
    }

    // -- bodies

    /// What `f` writes; `f` answers the result's values unless control does not come to the end.
    pub fn body<S>(this: &mut S, f: impl FnOnce(&mut S) -> Option<Vec<Atom>>) -> Body
    where
        S: AsMut<Builder<'t>>,
    {
        let b = this.as_mut();
        let depth = b.depth;
        b.blocks.push(Block { binds: Vec::new(), depth, made: Vec::new(), done: None });
        let result = f(this);
        let block = this.as_mut().blocks.pop().expect("pushed above");
        for made in block.made {
            match made {
                Made::Box(tuple) => tuple.boxed.set(None),
                Made::Part(tuple, i) => tuple.parts.borrow_mut()[i as usize] = None,
            }
        }
        let result = match (block.done, result) {
            (Some(done), _) => done,
            (None, Some(atoms)) => Outcome::Values(atoms),
            (None, None) => Outcome::Unreachable,
        };
        Body { binds: block.binds, result }
    }

    /// Likewise, the body of a function.
    pub fn function_body<S>(this: &mut S, f: impl FnOnce(&mut S) -> Option<Vec<Atom>>) -> Body
    where
        S: AsMut<Builder<'t>>,
    {
        this.as_mut().depth += 1;
        let body = Self::body(this, f);
        this.as_mut().depth -= 1;
        body
    }

    fn block(&mut self) -> &mut Block {
        self.blocks.last_mut().expect("a body is being written")
    }

    pub fn bind(&mut self, bind: Bind) {
        let block = self.block();
        if block.done.is_none() {
            block.binds.push(bind);
        }
    }

    /// Control leaves the body here.
    pub fn leave(&mut self, outcome: Outcome) {
        let block = self.block();
        if block.done.is_none() {
            block.done = Some(outcome);
        }
    }

    pub fn val(&mut self, vars: Vec<Var>, rhs: Rhs) {
        let loc = self.loc;
        self.bind(Bind::Val { vars, rhs, loc });
    }

    /// Binds the one value of `rhs`.
    pub fn atom(&mut self, rhs: Rhs, ty: Ty) -> Atom {
        let var = self.fresh(self.temp, ty);
        self.val(vec![var], rhs);
        Atom::Var(var)
    }

    /// `if cond then yes else no`, one value.
    pub fn if_else<S>(
        this: &mut S,
        cond: Atom,
        ty: Ty,
        yes: impl FnOnce(&mut S) -> Option<Vec<Atom>>,
        no: impl FnOnce(&mut S) -> Option<Vec<Atom>>,
    ) -> Atom
    where
        S: AsMut<Builder<'t>>,
    {
        let yes = Self::body(this, yes);
        let no = Self::body(this, no);
        let b = this.as_mut();
        b.atom(
            Rhs::Case { scrut: cond, arms: Arms::Con(BOOL, vec![(1, vec![], yes), (0, vec![], no)]), default: None },
            ty,
        )
    }

    // -- values

    /// A value of the type that is there as one atom.
    pub fn val_of(&self, atom: Atom, ty: Ty) -> Val {
        match self.types().get(ty) {
            TyData::Tuple(parts) if parts.is_empty() => Val::Unit,
            TyData::Tuple(parts) => Val::Tuple(Rc::new(Tuple {
                ty,
                depth: self.depth,
                boxed: Cell::new(Some(atom)),
                parts: RefCell::new(vec![None; parts.len()]),
            })),
            _ => Val::Atom(atom),
        }
    }

    /// A tuple of two parts or more, or unit.
    pub fn tuple(&self, ty: Ty, parts: Vec<Val>) -> Val {
        if parts.is_empty() {
            return Val::Unit;
        }
        Val::Tuple(Rc::new(Tuple {
            ty,
            depth: self.depth,
            boxed: Cell::new(None),
            parts: RefCell::new(parts.into_iter().map(Some).collect()),
        }))
    }

    /// The value as one atom.
    pub fn boxed(&mut self, val: &Val) -> Atom {
        let tuple = match val {
            Val::Atom(atom) => return *atom,
            Val::Unit => return Atom::Int(0),
            Val::Tuple(tuple) => tuple,
        };
        if let Some(atom) = tuple.boxed.get() {
            return atom;
        }
        let parts: Vec<Val> = tuple.parts.borrow().iter().map(|part| part.clone().expect("not boxed")).collect();
        let atoms: Vec<Atom> = parts.iter().map(|part| self.boxed(part)).collect();
        let var = self.fresh(self.temp, tuple.ty);
        let loc = self.loc;
        // The innermost body of the function that made the tuple.
        let at = self.blocks.iter().rposition(|block| block.depth <= tuple.depth).expect("it was made in a body");
        let block = &mut self.blocks[at];
        if block.done.is_none() {
            block.binds.push(Bind::Val { vars: vec![var], rhs: Rhs::Tuple(atoms), loc });
        }
        block.made.push(Made::Box(tuple.clone()));
        tuple.boxed.set(Some(Atom::Var(var)));
        Atom::Var(var)
    }

    /// Part `i` of a tuple.
    pub fn select(&mut self, val: &Val, i: u32) -> Val {
        let Val::Tuple(tuple) = val else { panic!("M2: a selection from a value that is no tuple") };
        if let Some(part) = &tuple.parts.borrow()[i as usize] {
            return part.clone();
        }
        let TyData::Tuple(parts) = self.types().get(tuple.ty) else { panic!("M2: a tuple at a type that is none") };
        let ty = parts[i as usize];
        let boxed = tuple.boxed.get().expect("the parts are there, or the tuple is boxed");
        let atom = self.atom(Rhs::Select(i, boxed), ty);
        let part = self.val_of(atom, ty);
        tuple.parts.borrow_mut()[i as usize] = Some(part.clone());
        self.block().made.push(Made::Part(tuple.clone(), i));
        part
    }

    /// All parts of a tuple or unit.
    pub fn parts(&mut self, val: &Val) -> Vec<Val> {
        match val {
            Val::Atom(_) => panic!("M2: parts of a value that is no tuple"),
            Val::Unit => Vec::new(),
            Val::Tuple(tuple) => {
                let n = tuple.parts.borrow().len();
                (0..n as u32).map(|i| self.select(val, i)).collect()
            }
        }
    }

    /// The atoms of a value of the type, flattened as `flat` (its parameters or results) says.
    fn flatten(&mut self, val: &Val, ty: Ty, flat: &[Ty]) -> Vec<Atom> {
        if matches!(val, Val::Tuple(_)) && flat == [ty] {
            return vec![self.boxed(val)];
        }
        let mut out = Vec::with_capacity(flat.len());
        self.flatten_into(val, &mut out);
        out
    }

    fn flatten_into(&mut self, val: &Val, out: &mut Vec<Atom>) {
        match val {
            Val::Atom(atom) => out.push(*atom),
            Val::Unit => {}
            Val::Tuple(_) => {
                for part in self.parts(val) {
                    self.flatten_into(&part, out);
                }
            }
        }
    }

    pub fn as_params(&mut self, val: &Val, ty: Ty) -> Vec<Atom> {
        let flat = self.types().params(ty);
        self.flatten(val, ty, &flat)
    }

    pub fn as_results(&mut self, val: &Val, ty: Ty) -> Vec<Atom> {
        let flat = self.types().results(ty);
        self.flatten(val, ty, &flat)
    }

    /// New variables for the flat values of the type, and the value that they make up.
    fn unflatten(&mut self, name: Symbol, ty: Ty, flat: &[Ty]) -> (Vec<Var>, Val) {
        let vars: Vec<Var> = flat.iter().map(|&ty| self.fresh(name, ty)).collect();
        let val = if flat == [ty] {
            self.val_of(Atom::Var(vars[0]), ty)
        } else {
            self.rebuild(ty, &mut vars.iter().copied())
        };
        (vars, val)
    }

    fn rebuild(&mut self, ty: Ty, vars: &mut impl Iterator<Item = Var>) -> Val {
        match self.types().get(ty).clone() {
            TyData::Tuple(parts) => {
                let parts = parts.iter().map(|&part| self.rebuild(part, vars)).collect();
                self.tuple(ty, parts)
            }
            _ => Val::Atom(Atom::Var(vars.next().expect("as many as the type is flat"))),
        }
    }

    pub fn new_params(&mut self, name: Symbol, ty: Ty) -> (Vec<Var>, Val) {
        let flat = self.types().params(ty);
        self.unflatten(name, ty, &flat)
    }

    pub fn new_results(&mut self, ty: Ty) -> (Vec<Var>, Val) {
        let flat = self.types().results(ty);
        self.unflatten(self.temp, ty, &flat)
    }

    /// Variables for all scalars of a type, however many there are, and the value that they make up.
    pub fn new_scalars(&mut self, ty: Ty) -> (Vec<Var>, Val) {
        let mut flat = Vec::new();
        self.scalars_of(ty, &mut flat);
        let vars: Vec<Var> = flat.into_iter().map(|ty| self.fresh(self.temp, ty)).collect();
        let val = self.rebuild(ty, &mut vars.iter().copied());
        (vars, val)
    }

    fn scalars_of(&self, ty: Ty, flat: &mut Vec<Ty>) {
        match self.types().get(ty) {
            TyData::Tuple(parts) => parts.iter().for_each(|&part| self.scalars_of(part, flat)),
            _ => flat.push(ty),
        }
    }

    /// Binds the results of `rhs`, a value of the type.
    pub fn results(&mut self, rhs: Rhs, ty: Ty) -> Val {
        let (vars, val) = self.new_results(ty);
        self.val(vars, rhs);
        val
    }

    // -- constructors

    /// A constructor applied to its argument.
    pub fn con(&mut self, data: Data, con: u32, arg: Option<&Val>, ty: Ty) -> Atom {
        let args = match (arg, self.closing.con_arg(data, con)) {
            (Some(arg), Some(ty)) => self.as_fields(arg, ty),
            _ => Vec::new(),
        };
        if args.is_empty() {
            return Atom::Con(data, con);
        }
        self.atom(Rhs::Con { data, con, args }, ty)
    }

    /// Variables for the fields of a constructor, and the argument that they make up.
    pub fn con_fields(&mut self, name: Symbol, data: Data, con: u32) -> (Vec<Var>, Val) {
        let Some(arg) = self.closing.con_arg(data, con) else { return (Vec::new(), Val::Unit) };
        let fields = self.types().fields(arg);
        let TyData::Tuple(parts) = self.types().get(arg).clone() else { return self.unflatten(name, arg, &[arg]) };
        let mut vars = Vec::new();
        let mut vals = Vec::with_capacity(parts.len());
        for (part, fields) in parts.into_iter().zip(fields) {
            let (fields, val) = self.unflatten(name, part, &fields);
            vars.extend(fields);
            vals.push(val);
        }
        (vars, self.tuple(arg, vals))
    }

    /// The fields of a constructor for its argument, of this type.
    fn as_fields(&mut self, arg: &Val, ty: Ty) -> Vec<Atom> {
        let fields = self.types().fields(ty);
        let TyData::Tuple(parts) = self.types().get(ty).clone() else { return vec![self.boxed(arg)] };
        let vals = self.parts(arg);
        let mut atoms = Vec::new();
        for ((val, ty), fields) in vals.iter().zip(parts).zip(&fields) {
            // A unit that is a field stands there.
            if fields.as_slice() == [ty] {
                atoms.push(self.boxed(val))
            } else {
                atoms.extend(self.flatten(val, ty, fields))
            }
        }
        atoms
    }

    pub fn prim(&mut self, prim: leat_abi::prim::Prim, tys: Vec<Ty>, args: Vec<Atom>, ty: Ty) -> Atom {
        self.atom(Rhs::Prim { prim, tys, args }, ty)
    }
}

impl<'t> AsMut<Builder<'t>> for Builder<'t> {
    fn as_mut(&mut self) -> &mut Builder<'t> {
        self
    }
}

/// The name of a variable that stands for something without a name.
pub(crate) fn name_or(name: Symbol, other: Symbol) -> Symbol {
    if name == sym::EMPTY { other } else { name }
}
