//! Primitives: `_prim "name" : ty` of library sources, compared with the table of primitives.

use crate::builtin::{ty, tyname};
use crate::ctx::Elab;
use crate::draft::{Exp, ExpKind};
use crate::exp::exp;
use crate::ir::{Ty, TyData, TyName};
use leat_abi::prim::Prim;
use leat_abi::signature::{self, Container, Name};
use leat_ast::ir as ast;
use leat_base::{Diagnostic, Span, Symbol};

impl Elab<'_> {
    /// A primitive at the type that is written. A type that the table's is no generalisation of is an error: the
    /// compiler and the runtime would take the arguments for something else.
    pub(crate) fn elab_prim(&mut self, name: Symbol, written: ast::TyId, span: Span) -> Exp {
        let core = self.elab_ty(written);
        let ty = self.import(core, &[]);
        let Some(prim) = Prim::by_name(name.as_str()) else {
            self.error("prim/unknown", span, format!("there is no primitive `{name}`"));
            return exp(ExpKind::Record(vec![]), ty, span);
        };
        if !self.is_instance(core, prim) {
            let message = format!("the primitive `{name}` does not have this type");
            self.report(Diagnostic::error("prim/type", span, message).note(format!("it is {}", prim.ty())));
        }
        exp(ExpKind::Prim(prim, ty), ty, span)
    }

    fn is_instance(&self, ty: Ty, prim: Prim) -> bool {
        let signature = prim.signature();
        let TyData::Arrow(from, to) = &self.tables.types[ty] else { return ty == ty::ERROR };
        // What the table's variables stand for.
        let mut vars = [None; 26];
        let from_fits = match &signature.args[..] {
            [] => *from == ty::UNIT,
            [one] => self.fits(*from, one, &mut vars),
            parts => self.tuple_fits(*from, parts, &mut vars),
        };
        from_fits && self.fits(*to, &signature.result, &mut vars)
    }

    fn tuple_fits(&self, ty: Ty, parts: &[signature::Type], vars: &mut [Option<Ty>; 26]) -> bool {
        match &self.tables.types[ty] {
            TyData::Record(fields) => {
                // The fields of a tuple are in the order of their numbers.
                fields.len() == parts.len()
                    && fields.iter().zip(parts).all(|(field, part)| self.fits(field.1, part, vars))
            }
            _ => ty == ty::ERROR,
        }
    }

    /// Whether a type is an instance of one of the table.
    fn fits(&self, ty: Ty, wanted: &signature::Type, vars: &mut [Option<Ty>; 26]) -> bool {
        use signature::Type as Wanted;
        if ty == ty::ERROR {
            return true;
        }
        let data = &self.tables.types[ty];
        match wanted {
            Wanted::Var(n) => *vars[*n as usize].get_or_insert(ty) == ty,
            Wanted::Tuple(parts) => self.tuple_fits(ty, parts, vars),
            Wanted::Arrow(from, to) => {
                matches!(data, TyData::Arrow(f, t) if self.fits(*f, from, vars) && self.fits(*t, to, vars))
            }
            Wanted::Of(element, container) => match data {
                TyData::Con(name, args) if args.len() == 1 => {
                    let is = match container {
                        Container::Ref => *name == tyname::REF,
                        Container::Array => *name == tyname::ARRAY,
                        Container::Vector => *name == tyname::VECTOR,
                        Container::Weak => *name == tyname::WEAK,
                        Container::Seq => [tyname::ARRAY, tyname::VECTOR].contains(name),
                    };
                    is && self.fits(args[0], element, vars)
                }
                _ => false,
            },
            Wanted::Name(name) => match name {
                Name::Unit => ty == ty::UNIT,
                // Types that have no name in SML, or abstract types over them: Mono's verifier sees through those.
                Name::Never | Name::Number | Name::Integer => true,
                Name::Bytes => self.is(ty, tyname::STRING) || self.are_bytes(ty),
                Name::Int => self.is(ty, tyname::INT),
                Name::Word => self.is(ty, tyname::WORD),
                Name::Word8 => self.is(ty, tyname::WORD8),
                Name::Char => self.is(ty, tyname::CHAR),
                Name::Bool => ty == ty::BOOL,
                Name::Real => self.is(ty, tyname::REAL),
                Name::String => self.is(ty, tyname::STRING),
                Name::Exn => self.is(ty, tyname::EXN),
                Name::Thread => self.is(ty, tyname::THREAD),
            },
        }
    }

    fn is(&self, ty: Ty, name: TyName) -> bool {
        matches!(&self.tables.types[ty], TyData::Con(n, _) if *n == name)
    }

    fn are_bytes(&self, ty: Ty) -> bool {
        match &self.tables.types[ty] {
            TyData::Con(tyname::ARRAY | tyname::VECTOR, args) => {
                args.iter().all(|&of| self.is(of, tyname::CHAR) || self.is(of, tyname::WORD8))
            }
            _ => false,
        }
    }
}
