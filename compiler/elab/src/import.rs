//! Foreign functions: `_import "f" : ty`, `_address`, `_symbol` -> the primitive `foreign`, applied to a text that says
//! what C has.
//!
//! ```text
//! _import "open" : string * int -> int;     (foreign : string -> (string * int -> int)) "call|open|object,!i32|i32"
//! ```
//!
//! `Int64.int` is `int` here, and C's `int` has 32 bits. So it counts how a type is written: `int` and `Int.int` are C's `int`,
//! `Int64.int`, `Position.int` and `C_Long.int` have 64 bits, and an abbreviation is what it was declared to be. Where this is not
//! known, there is an error: nothing is guessed. `--default-type=int64` makes all of them 64 bits wide. The same is so
//! for `word`.

use crate::basis::Width;
use crate::builtin::{ty, tyname};
use crate::ctx::Elab;
use crate::draft::{Exp, ExpKind};
use crate::exp::exp;
use crate::ir::{Const, Ty, TyData, TyName, TyNameDef};
use crate::types::Type;
use leat_abi::foreign::{Foreign, Param, Scalar, Way};
use leat_abi::prim::Prim;
use leat_ast::ir as ast;
use leat_ast::ir::{ForeignWord, LongId, TyId, TyKind};
use leat_base::{Diagnostic, Span, Symbol};

/// Structures whose `int` and `word` have 64 bits.
const WIDE: &[&str] = &["Position", "FixedInt", "LargeWord", "SysWord"];
/// Attributes that say what is so anyway.
const KNOWN: &[&str] = &["impure", "public", "private", "external", "cdecl", "stdcall"];

impl Elab<'_> {
    pub(crate) fn elab_foreign(&mut self, foreign: &ast::Foreign, span: Span) -> Exp {
        let word = foreign.word.text();
        let written = self.elab_ty(foreign.ty);
        if !self.foreign {
            let message = format!("`_{word}`: foreign functions are not allowed here");
            self.report(Diagnostic::error("foreign/allowed", span, message).help(
                "allow them in the .mlb file by `ann \"allowFFI true\" in ... end`, or for all sources by `--default-ann='allowFFI true'`",
            ));
        }
        let arrow = |this: &Self, ty| match this.tables.types[ty] {
            TyData::Arrow(from, to) => Some((from, to)),
            _ => None,
        };
        let name = foreign.name.map(|name| name.as_str().to_string());
        if let Some(bad) = name.as_deref().filter(|name| !is_symbol(name)) {
            self.error("foreign/name", span, format!("`{bad}` is no name of C"));
        }
        let Some(way) = self.way(foreign) else { return self.nothing(written, span) };
        let checked = self.checks_foreign && way.goes_out();
        let mut result = Foreign { way, name, params: vec![], result: None, checked, place: String::new() };
        let mut whole = written;
        match foreign.word {
            ForeignWord::Export => {
                let parts = arrow(self, written);
                let gives = if foreign.name.is_some() {
                    parts.filter(|&(_, to)| to == ty::UNIT)
                } else {
                    parts.filter(|&(_, to)| self.inside(to) == tyname::POINTER)
                };
                let Some((from, to)) = gives.and_then(|(function, _)| arrow(self, function)) else {
                    let message = match foreign.name {
                        Some(_) => "the type of `_export` is `function -> unit`",
                        None => "the type of `_export *` is `function -> MLton.Pointer.t`",
                    };
                    return self.no_c_type(foreign.ty, written, message);
                };
                let variadic = foreign.attributes.iter().any(|attribute| attribute.symbol.as_str() == "variadic");
                if way != Way::Call || variadic {
                    let name = if variadic { "variadic" } else { way.name() };
                    let message = format!("`{name}` says how SML calls C; this is a function that C calls");
                    self.error("foreign/attribute", span, message);
                }
                let function = self.arrow_parts(foreign.ty).0;
                let (from_ast, to_ast) = function.map_or((None, None), |id| self.arrow_parts(id));
                result.way = Way::Export;
                result.params = self.params(from_ast, from, foreign.ty);
                result.result = self.result(to_ast, to, Way::Export, foreign.ty);
                if result.params.iter().any(|param| matches!(param, Param::Object | Param::Array | Param::Cell(_))) {
                    let span = self.span_of(from_ast, foreign.ty);
                    let message = "C gives numbers and addresses, and no strings, arrays, vectors and references";
                    self.report(Diagnostic::error("foreign/type", span, message).help(
                        "an address is a `MLton.Pointer.t`, by which the function reads and writes what lies there",
                    ));
                    return self.nothing(written, span);
                }
            }
            ForeignWord::Import => {
                let mut function = (Some(foreign.ty), written);
                if foreign.name.is_none() {
                    let parts = arrow(self, written);
                    let pointer = parts.is_some_and(|(from, _)| self.inside(from) == tyname::POINTER);
                    let Some((_, to)) = parts.filter(|_| pointer) else {
                        let message = "the type of `_import *` is `MLton.Pointer.t -> function`";
                        return self.no_c_type(foreign.ty, written, message);
                    };
                    function = (self.arrow_parts(foreign.ty).1, to);
                }
                let Some((from, to)) = arrow(self, function.1) else {
                    let message = "an imported function has a type `... -> ...`; a variable of C is `_symbol`";
                    return self.no_c_type(foreign.ty, written, message);
                };
                let (from_ast, to_ast) = function.0.map_or((None, None), |id| self.arrow_parts(id));
                result.params = self.params(from_ast, from, foreign.ty);
                result.result = self.result(to_ast, to, way, foreign.ty);
                if foreign.attributes.iter().any(|attribute| attribute.symbol.as_str() == "variadic")
                    && result.params.contains(&Param::Scalar(Scalar::F32))
                {
                    let span = self.span_of(from_ast, foreign.ty);
                    let message = "where C has `...` it gets a `double`, and never a `float`";
                    self.report(Diagnostic::error("foreign/type", span, message).help("write `real`"));
                }
            }
            ForeignWord::Address => {
                if ![tyname::POINTER, tyname::WORD].contains(&self.inside(written)) {
                    return self.no_c_type(foreign.ty, written, "the type of an address is `MLton.Pointer.t`");
                }
                (result.way, result.result) = (Way::Address, Some(Scalar::Pointer));
            }
            ForeignWord::Symbol => {
                (result.way, result.result) = (Way::Symbol, self.scalar(Some(foreign.ty), written, foreign.ty));
                let get = self.tables.intern(TyData::Arrow(ty::UNIT, written));
                let set = self.tables.intern(TyData::Arrow(written, ty::UNIT));
                let fields = [get, set].into_iter().enumerate();
                let fields = fields.map(|(i, ty)| (Symbol::tuple_label(i + 1), ty)).collect();
                whole = self.tables.intern(TyData::Record(fields));
            }
        }
        let whole = self.import(whole, &[]);
        let function = self.arrow(Type::STRING, whole);
        let prim = exp(ExpKind::Prim(Prim::Foreign, function), function, span);
        let text = ExpKind::Const(Const::String(result.to_string().into_bytes().into()));
        exp(ExpKind::App(Box::new(prim), Box::new(exp(text, Type::STRING, span))), whole, span)
    }

    fn nothing(&mut self, written: Ty, span: Span) -> Exp {
        let ty = self.import(written, &[]);
        exp(ExpKind::Record(vec![]), ty, span)
    }

    /// How it is called, by its attributes.
    fn way(&mut self, foreign: &ast::Foreign) -> Option<Way> {
        let mut in_place = None;
        let (mut errno, mut blocking, mut reentrant, mut variadic) = (None, None, None, None);
        for attribute in &foreign.attributes {
            match attribute.symbol.as_str() {
                // `--check-foreign`: a call in place is looked at as any other.
                "pure" | "leaf" if self.checks_foreign && !foreign.attributes.iter().any(|a| is_way(a.symbol)) => {}
                "pure" => in_place = Some(Way::Pure),
                "leaf" => in_place = Some(Way::Leaf),
                "errno" => errno = Some(attribute.span),
                "reentrant" => reentrant = Some(attribute.span),
                // Every call that goes by a block tells C how many vector registers it may look for.
                "variadic" => variadic = Some(attribute.span),
                "blocking" => blocking = Some(attribute.span),
                known if KNOWN.contains(&known) => {}
                "alloc" => {
                    let message = "`alloc` is not supported: declare the variable in a file of C";
                    self.error("foreign/attribute", attribute.span, message);
                    return None;
                }
                other => {
                    let message = format!("there is no attribute `{other}` of foreign functions");
                    self.report(Diagnostic::error("foreign/attribute", attribute.span, message).help(
                        "the attributes are `pure`, `leaf`, `blocking`, `reentrant`, `errno`, `variadic`, and of MLton's `impure`, \
                         `public`, `private`, `external`, `cdecl` and `stdcall`",
                    ));
                    return None;
                }
            }
        }
        if let Some(way) = in_place {
            let others = [(errno, "errno"), (blocking, "blocking"), (reentrant, "reentrant"), (variadic, "variadic")];
            return match others.into_iter().find_map(|(span, other)| Some((span?, other))) {
                Some((span, other)) => self.not_in_place(span, way, other),
                None => Some(way),
            };
        }
        Some(match (blocking, reentrant, errno) {
            // C calls from an OS thread of the pool, as from any other.
            (Some(_), _, None) => Way::Blocking,
            (Some(_), _, Some(_)) => Way::BlockingErrno,
            (None, Some(_), None) => Way::Reentrant,
            (None, Some(_), Some(_)) => Way::ReentrantErrno,
            (None, None, None) => Way::Call,
            (None, None, Some(_)) => Way::Errno,
        })
    }

    /// Two attributes of which a function has one.
    fn not_in_place(&mut self, span: Span, way: Way, other: &str) -> Option<Way> {
        let name = way.name();
        let message = match other {
            "errno" => format!("a function that is `{name}` gives no `errno`: write `errno` alone"),
            "variadic" => format!("a function with `...` is not `{name}`: write `variadic` alone"),
            _ => format!("a function is `{name}` or `{other}`: the one runs in place, the other elsewhere"),
        };
        self.error("foreign/attribute", span, message);
        None
    }

    // -- types

    fn no_c_type(&mut self, place: TyId, written: Ty, message: &str) -> Exp {
        let span = self.ast[place].span;
        if written != ty::ERROR {
            self.error("foreign/type", span, message);
        }
        self.nothing(written, span)
    }

    /// The sides of an arrow that is written as one.
    fn arrow_parts(&self, id: TyId) -> (Option<TyId>, Option<TyId>) {
        match self.ast[id].kind {
            TyKind::Arrow(from, to) => (Some(from), Some(to)),
            _ => (None, None),
        }
    }

    /// The parts of a tuple type, each with how it is written if that can be seen; nothing for another type.
    fn tuple_parts(&self, written: Option<TyId>, ty: Ty) -> Option<Vec<(Option<TyId>, Ty)>> {
        let TyData::Record(fields) = &self.tables.types[ty] else { return None };
        let is_tuple = fields.iter().enumerate().all(|(i, field)| field.0 == Symbol::tuple_label(i + 1));
        let texts = match written.map(|id| &self.ast[id].kind) {
            Some(TyKind::Tuple(parts)) => parts.iter().map(|&part| Some(part)).collect(),
            _ => vec![None; fields.len()],
        };
        is_tuple.then(|| texts.into_iter().zip(fields.iter().map(|field| field.1)).collect())
    }

    fn params(&mut self, written: Option<TyId>, ty: Ty, place: TyId) -> Vec<Param> {
        let parts = self.tuple_parts(written, ty).unwrap_or_else(|| vec![(written, ty)]);
        parts.into_iter().filter_map(|(written, ty)| self.param(written, ty, place)).collect()
    }

    fn param(&mut self, written: Option<TyId>, ty: Ty, place: TyId) -> Option<Param> {
        let (name, args) = self.opened(ty);
        let elem_text = match written.map(|id| &self.ast[id].kind) {
            Some(TyKind::Con { args, .. }) if args.len() == 1 => Some(args[0]),
            _ => None,
        };
        match name {
            tyname::STRING => Some(Param::Object),
            tyname::REF => Some(Param::Cell(self.scalar(elem_text, args[0], place)?)),
            tyname::ARRAY | tyname::VECTOR => {
                let elem = self.inside(args[0]);
                let in_memory = if name == tyname::ARRAY { Param::Array } else { Param::Object };
                let (span, of) = (self.span_of(written, place), self.show_core(ty));
                match elem {
                    tyname::BOOL => {
                        let message = format!("`{of}` has a byte for each element, C's `int` more");
                        let d = Diagnostic::error("foreign/type", span, message);
                        self.report(d.help("write `Int32.int array`, or `Word8.word array`"));
                        None
                    }
                    tyname::REAL32 => {
                        let message = format!("the elements of `{of}` have 64 bits, C's `float` has 32");
                        let d = Diagnostic::error("foreign/type", span, message);
                        self.report(d.help("write `real array` for `double`"));
                        None
                    }
                    tyname::INT | tyname::WORD => {
                        // The elements have 64 bits: this must be what is meant.
                        let width = match (elem_text, written) {
                            (Some(elem), _) => self.width(Some(elem)),
                            (None, Some(all)) => self.width_of_array(all),
                            (None, None) => None,
                        };
                        if self.wide || width == Some(Width::Wide) {
                            return Some(in_memory);
                        }
                        let signed = if elem == tyname::INT { "Int" } else { "Word" };
                        let last = signed.to_lowercase();
                        let message = format!("the elements of `{of}` have 64 bits, C's `{}` has 32", c_name(elem));
                        let help = format!(
                            "write `{signed}32.{last} array` for C's `{}`, `{signed}64.{last} array` for 64 bits",
                            c_name(elem)
                        );
                        self.report(Diagnostic::error("foreign/type", span, message).help(help));
                        None
                    }
                    _ => {
                        self.scalar(elem_text, args[0], place)?;
                        Some(in_memory)
                    }
                }
            }
            tyname::INT | tyname::WORD => match self.scalar(written, ty, place)? {
                narrow @ (Scalar::I32 | Scalar::U32) => Some(Param::Checked(narrow)),
                wide => Some(Param::Scalar(wide)),
            },
            _ => Some(Param::Scalar(self.scalar(written, ty, place)?)),
        }
    }

    /// The result: unit is none. With `errno` the type is a pair, whose second part is the number.
    fn result(&mut self, written: Option<TyId>, ty: Ty, way: Way, place: TyId) -> Option<Scalar> {
        let (mut written, mut ty) = (written, ty);
        if way.wants_errno() {
            match self.tuple_parts(written, ty).as_deref() {
                Some(&[first, (_, number)]) if self.inside(number) == tyname::INT => (written, ty) = first,
                _ if ty == ty::ERROR => return None,
                _ => {
                    let span = self.span_of(written, place);
                    let message =
                        "with `errno` the result is a pair: what the function gives, and the number as an int";
                    self.error("foreign/type", span, message);
                    return None;
                }
            }
        }
        if ty == ty::UNIT { None } else { self.scalar(written, ty, place) }
    }

    /// What a type is in C; an error if it is nothing.
    fn scalar(&mut self, written: Option<TyId>, ty: Ty, place: TyId) -> Option<Scalar> {
        let name = self.inside(ty);
        Some(match name {
            tyname::INT8 => Scalar::I8,
            tyname::INT16 => Scalar::I16,
            tyname::INT32 => Scalar::I32,
            tyname::WORD8 | tyname::CHAR => Scalar::U8,
            tyname::WORD16 => Scalar::U16,
            tyname::WORD32 => Scalar::U32,
            tyname::BOOL => Scalar::Bool,
            tyname::REAL => Scalar::F64,
            tyname::REAL32 => Scalar::F32,
            tyname::POINTER => Scalar::Pointer,
            tyname::INT | tyname::WORD => {
                let width = if self.wide { Some(Width::Wide) } else { self.width(written) };
                match (name, width) {
                    (tyname::INT, Some(Width::Int)) => Scalar::I32,
                    (tyname::INT, Some(Width::Wide)) => Scalar::I64,
                    (_, Some(Width::Int)) => Scalar::U32,
                    (_, Some(Width::Wide)) => Scalar::U64,
                    (_, None) => {
                        let (signed, last) = if name == tyname::INT { ("Int", "int") } else { ("Word", "word") };
                        let message = format!(
                            "`{}` is `{last}`, and whether that is C's `{}` or has 64 bits cannot be seen here",
                            self.show_core(ty),
                            c_name(name)
                        );
                        let help =
                            format!("write `{last}` for C's `{}`, `{signed}64.{last}` for 64 bits", c_name(name));
                        let span = self.span_of(written, place);
                        self.report(Diagnostic::error("foreign/type", span, message).help(help));
                        return None;
                    }
                }
            }
            tyname::ERROR => return None,
            _ => {
                let span = self.span_of(written, place);
                let message = format!("`{}` is no type of C", self.show_core(ty));
                self.report(Diagnostic::error("foreign/type", span, message).help(
                    "types of C are `int`, `word`, `real`, `char`, `bool` and their kin, `MLton.Pointer.t`; as arguments \
                     also strings, and arrays, vectors and references of them",
                ));
                return None;
            }
        })
    }

    /// What the type is inside of opaque ones: its type constructor, and its arguments.
    fn opened(&self, mut ty: Ty) -> (TyName, Vec<Ty>) {
        loop {
            match &self.tables.types[ty] {
                TyData::Con(name, args) => match &self.tables.tynames[*name].def {
                    TyNameDef::Abstract { tyvars, ty: of }
                        if tyvars.is_empty() && ![tyname::POINTER, tyname::REAL32].contains(name) =>
                    {
                        ty = *of;
                    }
                    _ => return (*name, args.clone()),
                },
                // No type of C.
                _ => return (tyname::EXN, vec![]),
            }
        }
    }

    fn inside(&self, ty: Ty) -> TyName {
        self.opened(ty).0
    }

    fn show_core(&mut self, ty: Ty) -> String {
        let ty = self.import(ty, &[]);
        self.show(ty)
    }

    fn span_of(&self, written: Option<TyId>, place: TyId) -> Span {
        self.ast[written.unwrap_or(place)].span
    }

    // -- widths

    /// How wide `int` or `word` is by how the type is written.
    fn width(&mut self, written: Option<TyId>) -> Option<Width> {
        let ast = self.ast;
        let TyKind::Con { args, con } = &ast[written?].kind else { return None };
        if !args.is_empty() {
            return None;
        }
        match (structure(con), con.symbol.as_str()) {
            (None, "int" | "word") | (Some("Int" | "Word"), "int" | "word") => Some(Width::Int),
            (Some(name), _) if name.contains("64") || name.starts_with("C_") || WIDE.contains(&name) => {
                Some(Width::Wide)
            }
            _ => self.find_ty(con)?.width,
        }
    }

    /// Likewise of the elements of `Int64Array.array`.
    fn width_of_array(&self, written: TyId) -> Option<Width> {
        let TyKind::Con { con, .. } = &self.ast[written].kind else { return None };
        structure(con).filter(|name| name.contains("64")).map(|_| Width::Wide)
    }

    /// What an abbreviation of `int` or `word` is in C. Of one that is called like these nothing is known: its
    /// structure may be `Int64` by another name.
    pub(crate) fn width_of_abbreviation(&mut self, name: Symbol, written: TyId, ty: Ty) -> Option<Width> {
        let is_number = [tyname::INT, tyname::WORD].contains(&self.inside(ty));
        if is_number && !["int", "word"].contains(&name.as_str()) { self.width(Some(written)) } else { None }
    }
}

/// The structure that a type's name says.
fn structure(con: &LongId) -> Option<&'static str> {
    con.qualifiers.last().map(|name| name.as_str())
}

fn c_name(name: TyName) -> &'static str {
    if name == tyname::INT { "int" } else { "unsigned" }
}

/// An attribute that does not go with `leaf` and `pure`.
fn is_way(attribute: Symbol) -> bool {
    ["errno", "blocking", "reentrant", "variadic"].contains(&attribute.as_str())
}

/// A name that C and the linker take.
fn is_symbol(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$.@".contains(c))
}
