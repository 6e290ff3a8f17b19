//! Checks the invariants M1 to M5; an error starts with the number and says in which function.

use crate::ir::*;
use crate::prims::{element, result_count};
use crate::print::show_ty;
use leat_abi::prim::Prim;
use leat_abi::signature::{self as prim, Container, Name};
use rustc_hash::FxHashSet;

/// Checks a whole program. `pass`: what made it, for the error.
pub fn verify(program: &Program, pass: &str) -> Result<(), String> {
    let mut verifier = Verifier {
        program,
        types: program.types.clone(),
        bound: vec![false; program.vars.len()],
        scope: vec![false; program.vars.len()],
        place: Vec::new(),
    };
    let bool_is_first = program.types.datatypes.first().is_some_and(|data| data.cons.len() == 2);
    if !bool_is_first && !program.main.binds.is_empty() {
        return Err(format!("M2: datatype d0 is not bool, after {pass}"));
    }
    verifier.body(&program.main, &[]).map_err(|error| {
        let place: Vec<&str> = verifier.place.iter().map(|var| program.vars[var.0 as usize].name.as_str()).collect();
        format!("{error}, in {}, after {pass}", place.last().unwrap_or(&"main"))
    })
}

struct Verifier<'p> {
    program: &'p Program,
    /// A copy, to look up element types that no variable has.
    types: Types,
    bound: Vec<bool>,
    scope: Vec<bool>,
    /// Functions around.
    place: Vec<Var>,
}

type Check = Result<(), String>;

impl Verifier<'_> {
    fn show(&self, var: Var) -> String {
        format!("{}.{}", self.program.vars[var.0 as usize].name, var.0)
    }

    fn ty(&self, ty: Ty) -> String {
        show_ty(&self.program.types, ty)
    }

    fn bind(&mut self, var: Var) -> Check {
        if var.0 as usize >= self.bound.len() {
            return Err(format!("M1: {var} is in no table"));
        }
        if std::mem::replace(&mut self.bound[var.0 as usize], true) {
            return Err(format!("M1: {} is bound twice", self.show(var)));
        }
        self.scope[var.0 as usize] = true;
        Ok(())
    }

    fn unbind(&mut self, vars: &[Var]) {
        vars.iter().for_each(|var| self.scope[var.0 as usize] = false);
    }

    fn use_atom(&self, atom: Atom) -> Check {
        match atom {
            Atom::Var(var) if var.0 as usize >= self.scope.len() => Err(format!("M1: {var} is in no table")),
            Atom::Var(var) if !self.scope[var.0 as usize] => {
                Err(format!("M1: {} is used outside its scope", self.show(var)))
            }
            Atom::Str(i) if i as usize >= self.program.strings.len() => Err(format!("M2: no string {i}")),
            Atom::Con(data, con) => {
                let found =
                    self.program.types.datatypes.get(data.0 as usize).and_then(|data| data.cons.get(con as usize));
                match found {
                    Some(con) if con.fields.is_empty() => Ok(()),
                    _ => Err(format!("M2: constructor {con} of {data} is no value by itself")),
                }
            }
            _ => Ok(()),
        }
    }

    /// The atom is in scope and has the type.
    fn fits(&self, atom: Atom, ty: Ty) -> Check {
        self.use_atom(atom)?;
        let data = self.program.types.get(ty);
        let ok = match atom {
            Atom::Var(var) => self.program.ty(var) == ty,
            Atom::Int(_) => is_int(data),
            Atom::Real(_) => matches!(data, TyData::Scalar(Scalar::Real | Scalar::Real32)),
            Atom::Str(_) => matches!(data, TyData::Scalar(Scalar::String)),
            Atom::Con(of, _) => *data == TyData::Data(of),
        };
        if ok { Ok(()) } else { Err(format!("M2: {} at type {}", self.show_atom(atom), self.ty(ty))) }
    }

    fn show_atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => format!("{}: {}", self.show(var), self.ty(self.program.ty(var))),
            other => format!("{other:?}"),
        }
    }

    fn all_fit(&self, atoms: &[Atom], tys: &[Ty]) -> Check {
        if atoms.len() != tys.len() {
            return Err(format!("M3: {} values where {} are asked for", atoms.len(), tys.len()));
        }
        atoms.iter().zip(tys).try_for_each(|(&atom, &ty)| self.fits(atom, ty))
    }

    fn types_of(&self, vars: &[Var]) -> Vec<Ty> {
        vars.iter().map(|&var| self.program.ty(var)).collect()
    }

    /// `results`: types of the values that the body gives.
    fn body(&mut self, body: &Body, results: &[Ty]) -> Check {
        let mut scope = Vec::new();
        for bind in &body.binds {
            match bind {
                Bind::Fun(functions) => {
                    for function in functions {
                        self.bind(function.var)?;
                        scope.push(function.var);
                    }
                    functions.iter().try_for_each(|function| self.function(function))?;
                }
                Bind::Val { vars, rhs, .. } => {
                    self.rhs(vars, rhs)?;
                    for &var in vars {
                        self.bind(var)?;
                        scope.push(var);
                    }
                }
            }
        }
        match &body.result {
            Outcome::Values(atoms) => self.all_fit(atoms, results)?,
            Outcome::Raise(atom, _) => {
                self.use_atom(*atom)?;
                if let Atom::Var(var) = atom
                    && *self.program.types.get(self.program.ty(*var)) != TyData::Scalar(Scalar::Exn)
                {
                    return Err(format!("M2: raise {}", self.show_atom(*atom)));
                }
            }
            Outcome::Unreachable => {}
        }
        self.unbind(&scope);
        Ok(())
    }

    fn function(&mut self, function: &Function) -> Check {
        self.place.push(function.var);
        let TyData::Arrow(params, results) = self.program.types.get(self.program.ty(function.var)).clone() else {
            return Err(format!(
                "M3: the function {} has type {}",
                self.show(function.var),
                self.ty(self.program.ty(function.var))
            ));
        };
        if self.types_of(&function.params) != params {
            return Err(format!("M3: parameters of {} are not as its type says", self.show(function.var)));
        }
        function.params.iter().try_for_each(|&var| self.bind(var))?;
        self.body(&function.body, &results)?;
        self.unbind(&function.params);
        self.place.pop();
        Ok(())
    }

    fn rhs(&mut self, vars: &[Var], rhs: &Rhs) -> Check {
        let tys = self.types_of(vars);
        let one = |what: &str| match tys[..] {
            [ty] => Ok(ty),
            _ => Err(format!("M3: {what} gives one value, not {}", tys.len())),
        };
        match rhs {
            Rhs::Atoms(atoms) => self.all_fit(atoms, &tys),
            Rhs::Tuple(atoms) => match self.program.types.get(one("a tuple")?) {
                TyData::Tuple(parts) if parts.len() >= 2 => self.all_fit(atoms, parts),
                _ => Err(format!("M2: a tuple at type {}", self.ty(tys[0]))),
            },
            Rhs::Select(i, atom) => {
                self.use_atom(*atom)?;
                let ty = one("a selection")?;
                let Atom::Var(var) = atom else { return Err("M2: a selection from a constant".to_string()) };
                match self.program.types.get(self.program.ty(*var)) {
                    TyData::Tuple(parts) if parts.get(*i as usize) == Some(&ty) => Ok(()),
                    _ => Err(format!("M2: #{i} of {}", self.show_atom(*atom))),
                }
            }
            Rhs::Con { data, con, args } => {
                let ty = one("a constructor")?;
                if *self.program.types.get(ty) != TyData::Data(*data) {
                    return Err(format!("M2: a constructor of {data} at type {}", self.ty(ty)));
                }
                match self.program.types.datatypes[data.0 as usize].cons.get(*con as usize) {
                    Some(con) => self.all_fit(args, &con.fields),
                    None => Err(format!("M2: {data} has no constructor {con}")),
                }
            }
            Rhs::App { f, args } => {
                self.use_atom(*f)?;
                let Atom::Var(var) = f else { return Err("M2: a constant is applied".to_string()) };
                match self.program.types.get(self.program.ty(*var)) {
                    TyData::Arrow(params, results) => {
                        self.all_fit(args, params)?;
                        if tys == *results { Ok(()) } else { Err(format!("M3: results of {}", self.show(*var))) }
                    }
                    _ => Err(format!("M2: {} is applied", self.show_atom(*f))),
                }
            }
            Rhs::Case { scrut, arms, default } => self.case(*scrut, arms, default.as_deref(), &tys),
            Rhs::Handle { body, exn, handler } => {
                self.body(body, &tys)?;
                self.bind(*exn)?;
                self.body(handler, &tys)?;
                self.unbind(&[*exn]);
                Ok(())
            }
            Rhs::NewExn { .. } | Rhs::BuiltinExn(_) => self.is_desc(one("a descriptor")?),
            Rhs::Table { elem, .. } => {
                let of = self.program.types.get(*elem);
                if !is_int(of) && !matches!(of, TyData::Scalar(Scalar::Real)) {
                    return Err(format!("M2: a table of {}", self.ty(*elem)));
                }
                match self.program.types.get(one("a table")?) {
                    TyData::Vector(of) if of == elem => Ok(()),
                    _ => Err("M2: a table at another type".to_string()),
                }
            }
            Rhs::Packet { desc, arg } => {
                self.use_atom(*desc)?;
                self.is_exn(one("a packet")?)?;
                arg.map_or(Ok(()), |(atom, ty)| self.fits(atom, ty))
            }
            Rhs::PacketDesc(packet) => {
                self.use_atom(*packet)?;
                self.is_desc(one("a descriptor")?)
            }
            Rhs::PacketArg(packet, ty) => {
                self.use_atom(*packet)?;
                if one("an argument")? == *ty {
                    Ok(())
                } else {
                    Err("M2: a packet's argument at another type".to_string())
                }
            }
            Rhs::Prim { prim, tys: type_args, args } => {
                args.iter().try_for_each(|&atom| self.use_atom(atom))?;
                self.prim(*prim, type_args, args, &tys).map_err(|error| format!("{error} of {}", prim.name()))
            }
        }
    }

    fn is_desc(&self, ty: Ty) -> Check {
        if self.program.desc_ty == Some(ty) { Ok(()) } else { Err(format!("M2: a descriptor at type {}", self.ty(ty))) }
    }

    fn is_exn(&self, ty: Ty) -> Check {
        let ok = *self.program.types.get(ty) == TyData::Scalar(Scalar::Exn);
        if ok { Ok(()) } else { Err(format!("M2: a packet at type {}", self.ty(ty))) }
    }

    fn case(&mut self, scrut: Atom, arms: &Arms, default: Option<&Body>, tys: &[Ty]) -> Check {
        self.use_atom(scrut)?;
        let scrut_ty =
            if let Atom::Var(var) = scrut { Some(self.program.types.get(self.program.ty(var)).clone()) } else { None };
        let wrong = || Err(format!("M2: a case of {}", self.show_atom(scrut)));
        let (distinct, complete) = match arms {
            Arms::Con(data, arms) => {
                if scrut_ty.is_some_and(|ty| ty != TyData::Data(*data)) {
                    return wrong();
                }
                let cons: FxHashSet<u32> = arms.iter().map(|arm| arm.0).collect();
                (cons.len() == arms.len(), cons.len() == self.program.types.datatypes[data.0 as usize].cons.len())
            }
            Arms::Int(arms) => {
                if scrut_ty.is_some_and(|ty| !is_int(&ty)) {
                    return wrong();
                }
                let ints: FxHashSet<i64> = arms.iter().map(|arm| arm.0).collect();
                // All values of a type of some bits: the type's name is gone here.
                let (least, most) = (ints.iter().min().copied(), ints.iter().max().copied());
                let span = least.zip(most).map(|(least, most)| most.wrapping_sub(least) as u64 as usize);
                let all = ints.len().is_power_of_two() && span == Some(ints.len() - 1);
                (ints.len() == arms.len(), all)
            }
            Arms::Str(arms) => {
                if scrut_ty.is_some_and(|ty| ty != TyData::Scalar(Scalar::String)) {
                    return wrong();
                }
                (arms.iter().map(|arm| arm.0).collect::<FxHashSet<_>>().len() == arms.len(), false)
            }
        };
        if !distinct {
            return Err("M4: two arms are the same".to_string());
        }
        if !complete && default.is_none() {
            return Err("M4: a case is not exhaustive".to_string());
        }
        if let Arms::Con(data, arms) = arms {
            for (con, vars, _) in arms {
                let Some(con) = self.program.types.datatypes[data.0 as usize].cons.get(*con as usize) else {
                    return Err(format!("M2: {data} has no constructor {con}"));
                };
                if self.types_of(vars) != con.fields {
                    return Err(format!("M2: fields of {}", con.name));
                }
                vars.iter().try_for_each(|&var| self.bind(var))?;
            }
        }
        for body in arms.bodies().into_iter().chain(default) {
            self.body(body, tys)?;
        }
        if let Arms::Con(_, arms) = arms {
            arms.iter().for_each(|arm| self.unbind(&arm.1));
        }
        Ok(())
    }

    /// Arguments and result as the primitive's row says.
    fn prim(&mut self, prim: Prim, type_args: &[Ty], args: &[Atom], results: &[Ty]) -> Check {
        if matches!(prim, Prim::PolyEq | Prim::Describe) {
            return Err("M5: a use".to_string());
        }
        if matches!(prim, Prim::ForeignCall | Prim::ForeignWrite | Prim::ForeignRead | Prim::ForeignPure) {
            let number = args.first().copied();
            let known = |n: i64| self.program.foreign.get(n as usize).is_some_and(|f| f.results() == results.len());
            return match number {
                Some(Atom::Int(n)) if known(n) => Ok(()),
                _ => Err("M3: no such foreign function, or not its results".to_string()),
            };
        }
        if results.len() > 1 {
            return Err("M3: several results".to_string());
        }
        let signature = prim.signature();
        // A type variable is the element type, where the primitive has one; else each stands for anything.
        let element = signature.element().and(type_args.first().copied());
        if signature.args.len() != args.len() {
            return Err(format!("M3: {} arguments, not {}", args.len(), signature.args.len()));
        }
        for (&atom, wanted) in args.iter().zip(&signature.args) {
            let Atom::Var(var) = atom else { continue };
            if !self.is(self.program.ty(var), wanted, element) {
                return Err(format!("M2: argument {}", self.show_atom(atom)));
            }
        }
        match results {
            [] if matches!(signature.result, prim::Type::Name(Name::Unit | Name::Never) | prim::Type::Var(_)) => Ok(()),
            [] => Err("M3: no result".to_string()),
            &[ty, ..] => {
                if self.is(ty, &signature.result, element) && result_count(&self.types, prim, ty) == 1 {
                    Ok(())
                } else {
                    Err(format!("M2: result of type {}", self.ty(ty)))
                }
            }
        }
    }

    /// Whether a value of the closed type may stand where the table says `wanted`. Numbers at any type are the same to
    /// Mono, since `bits` costs nothing and may be gone.
    fn is(&mut self, ty: Ty, wanted: &prim::Type, element_ty: Option<Ty>) -> bool {
        let data = self.types.get(ty).clone();
        match wanted {
            prim::Type::Var(_) => element_ty.is_none_or(|element| element == ty),
            prim::Type::Name(name) => match name {
                Name::Unit | Name::Never => false,
                Name::Int | Name::Word | Name::Word8 | Name::Char | Name::Integer => {
                    is_int(&data) || is_enumeration(&self.types, &data)
                }
                Name::Number => is_int(&data) || is_enumeration(&self.types, &data) || is_real(&data),
                Name::Bool => data == TyData::Data(BOOL),
                Name::Real => is_real(&data),
                Name::String => data == TyData::Scalar(Scalar::String),
                Name::Exn => data == TyData::Scalar(Scalar::Exn),
                Name::Thread => data == TyData::Scalar(Scalar::Thread),
                Name::Bytes => match data {
                    TyData::Scalar(Scalar::String) => true,
                    TyData::Array(of) | TyData::Vector(of) => {
                        matches!(self.types.get(of), TyData::Scalar(Scalar::Char | Scalar::Word8))
                    }
                    _ => false,
                },
            },
            prim::Type::Of(of, container) => {
                let fits = match (container, &data) {
                    (Container::Ref, TyData::Ref(_))
                    | (Container::Weak, TyData::Weak(_))
                    | (Container::Array, TyData::Array(_))
                    // What only reads may read either: the library passes arrays that it has cast.
                    | (Container::Seq | Container::Vector, TyData::Array(_) | TyData::Vector(_)) => true,
                    (Container::Seq | Container::Vector, data) => *data == TyData::Scalar(Scalar::String),
                    _ => false,
                };
                fits && element(&mut self.types, ty).is_some_and(|inner| self.is(inner, of, element_ty))
            }
            prim::Type::Arrow(..) => matches!(data, TyData::Arrow(..)),
            prim::Type::Tuple(_) => matches!(data, TyData::Tuple(_)),
        }
    }
}

fn is_real(data: &TyData) -> bool {
    matches!(data, TyData::Scalar(Scalar::Real | Scalar::Real32))
}

fn is_int(data: &TyData) -> bool {
    match data {
        TyData::Scalar(scalar) => {
            !matches!(scalar, Scalar::Real | Scalar::Real32 | Scalar::String | Scalar::Exn | Scalar::Thread)
        }
        TyData::Tuple(parts) => parts.is_empty(),
        _ => false,
    }
}

fn is_enumeration(types: &Types, data: &TyData) -> bool {
    match data {
        TyData::Data(data) => types.datatypes[data.0 as usize].cons.iter().all(|con| con.fields.is_empty()),
        _ => false,
    }
}
