//! Types of Lambda under an instance's type variables -> closed types of Mono, interned.
//!
//! Abstract type names are seen through. An instance of a datatype is made when a type mentions it, its constructors'
//! fields right after; but a chain of ever new instances of one type name (a non-regular datatype) is cut: there the
//! fields are filled in when code looks at them. An instance that no code looks at keeps no constructors.

use crate::ir::{BOOL, Con, Data, Datatype, Scalar, Ty, TyData, Types};
use leat_base::symbol::sym;
use leat_base::{Sparse, Symbol};
use leat_lambda::tables::{self as elab, PrimTy, Tables, TyName, TyNameDef, TyVar};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What the type variables in scope stand for, and the types closed under it so far.
#[derive(Clone, Default)]
pub(crate) struct TyEnv {
    pub vars: Rc<[(TyVar, Ty)]>,
    cache: FxHashMap<elab::Ty, Ty>,
}

impl TyEnv {
    pub fn new(vars: Rc<[(TyVar, Ty)]>) -> TyEnv {
        TyEnv { vars, cache: FxHashMap::default() }
    }

    pub fn get(&self, var: TyVar) -> Option<Ty> {
        self.vars.iter().rev().find(|entry| entry.0 == var).map(|entry| entry.1)
    }
}

/// How an instance of a datatype came to be.
struct Instance {
    name: TyName,
    args: Box<[Ty]>,
    /// The instance whose fields mention it first, if one did.
    parent: Option<Data>,
    filled: bool,
    /// Closed argument types of its constructors, once filled.
    con_args: Vec<Option<Ty>>,
}

pub(crate) struct Closing<'t> {
    pub tables: &'t Tables,
    pub types: Types,
    /// By type of Lambda without type variables.
    closed: Sparse<Option<Ty>>,
    /// By type of Lambda: 0 unknown, 1 closed, 2 open.
    open: Sparse<u8>,
    instances: Vec<Instance>,
    instance_of: FxHashMap<(TyName, Box<[Ty]>), Data>,
    /// Instances whose fields are still to be filled in.
    pending: Vec<Data>,
    /// The instance being filled.
    filling: Option<Data>,
    pub unit: Ty,
    pub bool: Ty,
    pub int: Ty,
    pub exn: Ty,
}

/// The form of a type depends on what its constructors hold, so many levels deep.
const ROUNDS: usize = 4;

/// As many instances of one type name in a chain are filled without being asked for.
const LONGEST_CHAIN: usize = 3;

impl<'t> Closing<'t> {
    pub fn new(tables: &'t Tables) -> Closing<'t> {
        let mut types = Types::default();
        let unit = types.intern(TyData::Tuple(Vec::new()));
        let int = types.intern(TyData::Scalar(Scalar::Int));
        let exn = types.intern(TyData::Scalar(Scalar::Exn));
        let bool = types.intern(TyData::Data(BOOL));
        let con = |name| Con { name, fields: Vec::new() };
        types.datatypes.push(Datatype { name: "bool".to_string(), cons: vec![con(sym::FALSE), con(sym::TRUE)] });
        let first =
            Instance { name: elab::BOOL, args: Box::new([]), parent: None, filled: true, con_args: vec![None, None] };
        let instance_of = FxHashMap::from_iter([((elab::BOOL, first.args.clone()), BOOL)]);
        Closing {
            tables,
            types,
            closed: Sparse::default(),
            open: Sparse::default(),
            instances: vec![first],
            instance_of,
            pending: Vec::new(),
            filling: None,
            unit,
            bool,
            int,
            exn,
        }
    }

    /// The closed type. A type variable that nothing is known of stands for unit.
    pub fn close(&mut self, ty: elab::Ty, env: &mut TyEnv) -> Ty {
        let closed = self.close_only(ty, env);
        self.fill_pending();
        closed
    }

    fn close_only(&mut self, ty: elab::Ty, env: &mut TyEnv) -> Ty {
        if let Some(closed) = self.closed.get(ty.0 as usize) {
            return closed;
        }
        if self.is_open(ty) {
            if let Some(&closed) = env.cache.get(&ty) {
                return closed;
            }
            let closed = self.make(ty, env);
            env.cache.insert(ty, closed);
            closed
        } else {
            let closed = self.make(ty, env);
            self.closed.set(ty.0 as usize, Some(closed));
            closed
        }
    }

    fn is_open(&mut self, ty: elab::Ty) -> bool {
        match self.open.get(ty.0 as usize) {
            1 => return false,
            2 => return true,
            _ => {}
        }
        let tables = self.tables;
        let open = match &tables.types[ty] {
            elab::TyData::Var(_) => true,
            elab::TyData::Con(_, args) => args.iter().any(|&arg| self.is_open(arg)),
            elab::TyData::Arrow(from, to) => self.is_open(*from) || self.is_open(*to),
            elab::TyData::Record(fields) => fields.iter().any(|field| self.is_open(field.1)),
        };
        self.open.set(ty.0 as usize, if open { 2 } else { 1 });
        open
    }

    fn make(&mut self, ty: elab::Ty, env: &mut TyEnv) -> Ty {
        let tables = self.tables;
        match &tables.types[ty] {
            elab::TyData::Var(var) => env.get(*var).unwrap_or(self.unit),
            elab::TyData::Arrow(from, to) => {
                let from = self.close_only(*from, env);
                let to = self.close_only(*to, env);
                self.arrow(from, to)
            }
            elab::TyData::Record(fields) => match fields[..] {
                [(_, ty)] => self.close_only(ty, env),
                _ => {
                    let parts = fields.iter().map(|field| self.close_only(field.1, env)).collect();
                    self.types.intern(TyData::Tuple(parts))
                }
            },
            elab::TyData::Con(name, args) => {
                let args: Vec<Ty> = args.iter().map(|&arg| self.close_only(arg, env)).collect();
                self.con(*name, args)
            }
        }
    }

    /// The type of functions from a value of the one type to one of the other.
    pub fn arrow(&mut self, from: Ty, to: Ty) -> Ty {
        let data = TyData::Arrow(self.types.params(from), self.types.results(to));
        self.types.intern(data)
    }

    fn con(&mut self, name: TyName, args: Vec<Ty>) -> Ty {
        let tables = self.tables;
        match &tables.tynames[name].def {
            TyNameDef::Prim(prim) => {
                let data = self.prim(*prim, &args);
                self.types.intern(data)
            }
            TyNameDef::Datatype { .. } => {
                let data = self.instance(name, args);
                self.types.intern(TyData::Data(data))
            }
            TyNameDef::Abstract { tyvars, ty } => {
                let vars = tyvars.iter().copied().zip(args).collect();
                self.close_only(*ty, &mut TyEnv::new(vars))
            }
            TyNameDef::Formal => self.unit,
        }
    }

    fn prim(&mut self, prim: PrimTy, args: &[Ty]) -> TyData {
        let arg = args.first().copied().unwrap_or(self.unit);
        TyData::Scalar(match prim {
            PrimTy::Int => Scalar::Int,
            PrimTy::Int8 => Scalar::Int8,
            PrimTy::Int16 => Scalar::Int16,
            PrimTy::Int32 => Scalar::Int32,
            PrimTy::Word => Scalar::Word,
            PrimTy::Word8 => Scalar::Word8,
            PrimTy::Word16 => Scalar::Word16,
            PrimTy::Word32 => Scalar::Word32,
            PrimTy::Char => Scalar::Char,
            PrimTy::Real => Scalar::Real,
            PrimTy::Real32 => Scalar::Real32,
            PrimTy::String => Scalar::String,
            PrimTy::Exn => Scalar::Exn,
            PrimTy::Thread => Scalar::Thread,
            PrimTy::Ref => return TyData::Ref(arg),
            PrimTy::Array => return TyData::Array(arg),
            PrimTy::Weak => return TyData::Weak(arg),
            PrimTy::Vector if *self.types.get(arg) == TyData::Scalar(Scalar::Char) => Scalar::String,
            PrimTy::Vector => return TyData::Vector(arg),
        })
    }

    // -- datatypes

    /// The instance of a datatype at closed types.
    pub fn instance(&mut self, name: TyName, args: Vec<Ty>) -> Data {
        let key = (name, args.into_boxed_slice());
        if let Some(&data) = self.instance_of.get(&key) {
            return data;
        }
        let data = Data(self.instances.len() as u32);
        let mut text = String::new();
        self.show_con(name, &key.1, &mut text);
        self.types.datatypes.push(Datatype { name: text, cons: Vec::new() });
        let (mut chain, mut ancestor) = (0, self.filling);
        while let Some(data) = ancestor {
            let instance = &self.instances[data.0 as usize];
            chain += usize::from(instance.name == name);
            ancestor = instance.parent;
        }
        if chain < LONGEST_CHAIN {
            self.pending.push(data);
        }
        let args = key.1.clone();
        self.instances.push(Instance { name, args, parent: self.filling, filled: false, con_args: Vec::new() });
        self.instance_of.insert(key, data);
        data
    }

    fn fill_pending(&mut self) {
        while let Some(data) = self.pending.pop() {
            self.fill(data);
        }
    }

    fn fill(&mut self, data: Data) {
        let instance = &mut self.instances[data.0 as usize];
        if std::mem::replace(&mut instance.filled, true) {
            return;
        }
        let tables = self.tables;
        let TyNameDef::Datatype { tyvars, cons } = &tables.tynames[instance.name].def else { return };
        let mut env = TyEnv::new(tyvars.iter().copied().zip(instance.args.iter().copied()).collect());
        let outer = self.filling.replace(data);
        for con in cons {
            let arg = con.arg.map(|ty| self.close_only(ty, &mut env));
            let fields = arg.map_or_else(Vec::new, |ty| self.types.fields(ty).concat());
            self.types.datatypes[data.0 as usize].cons.push(Con { name: con.name, fields });
            self.instances[data.0 as usize].con_args.push(arg);
        }
        self.filling = outer;
    }

    /// Closed argument type of a constructor.
    pub fn con_arg(&mut self, data: Data, con: u32) -> Option<Ty> {
        self.look(data);
        self.instances[data.0 as usize].con_args.get(con as usize).copied().flatten()
    }

    /// The labels of a constructor's argument in its declaration, if that is a record and no tuple.
    pub fn con_labels(&self, data: Data, con: u32) -> Option<Vec<Symbol>> {
        let name = self.instances[data.0 as usize].name;
        let TyNameDef::Datatype { cons, .. } = &self.tables.tynames[name].def else { return None };
        let elab::TyData::Record(fields) = &self.tables.types[cons.get(con as usize)?.arg?] else { return None };
        let labelled = fields.iter().any(|(label, _)| !label.as_str().starts_with(|c: char| c.is_ascii_digit()));
        labelled.then(|| fields.iter().map(|field| field.0).collect())
    }

    /// Code looks at the constructors of this instance.
    pub fn look(&mut self, data: Data) {
        if !self.instances[data.0 as usize].filled {
            self.fill(data);
            self.fill_pending();
        }
    }

    /// Fills the instances where chains were cut, and those that they lead to, so that the form of every type that code
    /// of this unit touches is what another unit says that it is: it depends on the type alone.
    pub fn settle(&mut self) {
        for _ in 0..ROUNDS {
            for data in 0..self.instances.len() as u32 {
                self.fill(Data(data));
            }
            self.pending.clear();
        }
    }

    // -- as text

    fn show_con(&self, name: TyName, args: &[Ty], out: &mut String) {
        match args {
            [] => {}
            [arg] => {
                self.show(*arg, 3, out);
                out.push(' ');
            }
            _ => {
                for (i, arg) in args.iter().enumerate() {
                    out.push_str(if i == 0 { "(" } else { ", " });
                    self.show(*arg, 0, out);
                }
                out.push_str(") ");
            }
        }
        out.push_str(self.tables.tynames[name].name.as_str());
    }

    fn show(&self, ty: Ty, level: u32, out: &mut String) {
        crate::show::show_ty_at(&self.types, ty, level, out);
    }
}
