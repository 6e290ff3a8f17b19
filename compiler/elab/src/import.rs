//! Foreign functions: `_import "f" : ty`, `_address`, `_symbol` -> the primitive `foreign`, applied to a text that says
//! what C has.
//!
//! ```text
//! _import "open" : string * int -> int;     (foreign : string -> (string * int -> int)) "call|open|object,!i32|i32"
//! ```
//!
//! `Int64.int` is `int` here, and C's `int` has 32 bits. So it counts how a type is written: `int` and `Int.int` are C's `int`,
//! `Int64.int`, `Position.int` and `C_Long.int` have 64 bits, and an abbreviation is what it was declared to be. The
//! type structure in scope says it ([`crate::basis::TyStr`]): no name does, since a program may give it to something
//! else. Where this is not known, there is an error: nothing is guessed. `--default-type=int64` makes all of them 64
//! bits wide. The same is so for `word`.
//!
//! A tuple among the parameters, or as the result, is a structure of C by value. Its parts are the fields, in order; a
//! tuple in it is a structure in a structure. Here the fields get their places, by the alignment of each scalar, which
//! is its size. `unit` among the parameters is nothing: it stands beside a structure that is the only one.

use crate::basis::Width;
use crate::builtin::{ty, tyname};
use crate::ctx::{Elab, InC};
use crate::draft::{Exp, ExpKind};
use crate::exp::exp;
use crate::ir::{Const, Ty, TyData, TyName, TyNameDef};
use crate::types::Type;
use leat_abi::foreign::{Field, Foreign, Param, Scalar, Way};
use leat_abi::prim::Prim;
use leat_ast::ir as ast;
use leat_ast::ir::{ForeignWord, LongId, TyId, TyKind};
use leat_base::symbol::sym;
use leat_base::{Diagnostic, Span, Symbol};

/// Structures of the Basis whose `int` and `word` have 64 bits, besides those of [`says_64`].
const WIDE: &[&str] = &["Position", "FixedInt", "LargeWord", "SysWord"];
/// Attributes that say what is so anyway.
const KNOWN: &[&str] = &["impure", "public", "private", "external", "cdecl", "stdcall"];

/// What C reserves.
const C_WORDS: &[&str] = &[
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while",
];
/// What the runtime calls while no function of SML may run.
const RUNTIME_CALLS: &[&str] = &[
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
];

/// More parts than this has no structure of C whose abbreviation is remembered.
const MOST_PARTS: usize = 64;
/// More fields than this has no structure of C that goes by value: a type may be a graph whose tree is exponentially
/// larger.
const MOST_FIELDS: u32 = 65_536;

/// How a type is written.
#[derive(Clone)]
enum Written {
    /// Nobody sees it.
    No,
    Here(TyId),
    /// It is a part of the abbreviation that stands there.
    Inside(TyId, Option<Width>),
}

/// What a tuple is in C.
struct Layout {
    fields: Vec<(Field, bool)>,
    /// In bytes.
    size: u32,
    alignment: u32,
}

impl Written {
    fn of(id: Option<TyId>) -> Written {
        id.map_or(Written::No, Written::Here)
    }

    fn id(&self) -> Option<TyId> {
        match self {
            Written::No => None,
            Written::Here(id) | Written::Inside(id, _) => Some(*id),
        }
    }
}

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
        // The parser has told that there is no name.
        let given = name.as_deref().filter(|_| foreign.name != Some(sym::ERROR));
        if let Some(bad) = given.filter(|name| !is_symbol(name)) {
            self.error("foreign/name", span, format!("`{bad}` is no name of C"));
        } else if let Some(why) = given.filter(|_| foreign.word == ForeignWord::Export).and_then(not_exported) {
            self.error("foreign/name", span, why);
        }
        let Some(way) = self.way(foreign) else { return self.nothing(written, span) };
        let checked = self.checks_foreign && way.goes_out();
        let mut result = Foreign { way, name, params: vec![], result: vec![], checked, place: String::new() };
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
                let told = self.diagnostics.len();
                result.way = Way::Export;
                result.params = self.params(Written::of(from_ast), from, foreign.ty);
                result.result = self.result(Written::of(to_ast), to, Way::Export, foreign.ty);
                if result.params.iter().any(|param| matches!(param, Param::Object | Param::Array | Param::Cell(_))) {
                    let span = self.span_of(&Written::of(from_ast), foreign.ty);
                    let message = "C gives numbers and addresses, and no strings, arrays, vectors and references";
                    self.report(Diagnostic::error("foreign/type", span, message).help(
                        "an address is a `MLton.Pointer.t`, by which the function reads and writes what lies there",
                    ));
                    return self.nothing(written, span);
                }
                if let Some(name) = foreign.name.filter(|_| self.diagnostics.len() == told) {
                    self.exported_as(name, &result, foreign.ty);
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
                result.params = self.params(Written::of(from_ast), from, foreign.ty);
                result.result = self.result(Written::of(to_ast), to, way, foreign.ty);
                if foreign.attributes.iter().any(|attribute| attribute.symbol.as_str() == "variadic")
                    && result.params.contains(&Param::Scalar(Scalar::F32))
                {
                    let span = self.span_of(&Written::of(from_ast), foreign.ty);
                    let message = "where C has `...` it gets a `double`, and never a `float`";
                    self.report(Diagnostic::error("foreign/type", span, message).help("write `real`"));
                }
            }
            ForeignWord::Address => {
                if ![tyname::POINTER, tyname::WORD].contains(&self.inside(written)) {
                    return self.no_c_type(foreign.ty, written, "the type of an address is `MLton.Pointer.t`");
                }
                (result.way, result.result) = (Way::Address, Foreign::gives(Scalar::Pointer));
            }
            ForeignWord::Symbol => {
                // Without a name: a function from the variable's address.
                let mut variable = (Written::Here(foreign.ty), written);
                let mut pointer = None;
                if foreign.name.is_none() {
                    let parts = arrow(self, written);
                    let Some((from, to)) = parts.filter(|&(from, _)| self.inside(from) == tyname::POINTER) else {
                        let message = "the type of `_symbol *` is `MLton.Pointer.t -> (unit -> type) * (type -> unit)`";
                        return self.no_c_type(foreign.ty, written, message);
                    };
                    variable = (Written::of(self.arrow_parts(foreign.ty).1), to);
                    pointer = Some(from);
                }
                let (written, variable) = self.variable(variable.0, variable.1);
                let scalar = self.scalar(&written, variable, foreign.ty);
                (result.way, result.result) = (Way::Symbol, scalar.map(Foreign::gives).unwrap_or_default());
                let get = self.tables.intern(TyData::Arrow(ty::UNIT, variable));
                let set = self.tables.intern(TyData::Arrow(variable, ty::UNIT));
                let fields = [get, set].into_iter().enumerate();
                let fields = fields.map(|(i, ty)| (Symbol::tuple_label(i + 1), ty)).collect();
                whole = self.tables.intern(TyData::Record(fields));
                if let Some(pointer) = pointer {
                    whole = self.tables.intern(TyData::Arrow(pointer, whole));
                }
            }
        }
        let whole = self.import(whole, &[]);
        let function = self.arrow(Type::STRING, whole);
        let prim = exp(ExpKind::Prim(Prim::Foreign, function), function, span);
        let text = ExpKind::Const(Const::String(result.to_string().into_bytes().into()));
        exp(ExpKind::App(Box::new(prim), Box::new(exp(text, Type::STRING, span))), whole, span)
    }

    /// C calls an exported function by its name alone, so all that have one name have one type.
    fn exported_as(&mut self, name: Symbol, exported: &Foreign, place: TyId) {
        let span = self.ast[place].span;
        let in_c = in_c(exported);
        let (known, first) = self.exports.entry(name).or_insert_with(|| (in_c.clone(), span));
        if *known != in_c {
            let message = format!("`{name}` is exported with another type of C, too");
            let d = Diagnostic::error("foreign/type", span, message).label(*first, "the other type");
            self.report(d.help("C has one function of a name: give one of them another name"));
        }
    }

    /// The type of a variable of C: as it is written, or the one in MLton's type of the two functions,
    /// `(unit -> ty) * (ty -> unit)`.
    fn variable(&mut self, written: Written, ty: Ty) -> (Written, Ty) {
        let parts = self.tuple_parts(&written, ty).unwrap_or_default();
        let [(getter, get), (_, set)] = &parts[..] else { return (written, ty) };
        match (&self.tables.types[*get], &self.tables.types[*set]) {
            (&TyData::Arrow(ty::UNIT, gives), &TyData::Arrow(takes, ty::UNIT)) if gives == takes => {
                (Written::of(getter.id().and_then(|id| self.arrow_parts(id).1)), gives)
            }
            _ => (written, ty),
        }
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

    /// The parts of a tuple type, each with how it is written; nothing for another type.
    fn tuple_parts(&mut self, written: &Written, ty: Ty) -> Option<Vec<(Written, Ty)>> {
        let ty = self.unsealed(ty);
        let TyData::Record(fields) = &self.tables.types[ty] else { return None };
        let labelled = fields.iter().enumerate().all(|(i, field)| field.0 == Symbol::tuple_label(i + 1));
        if !labelled || fields.len() == 1 {
            return None;
        }
        let tys: Vec<Ty> = fields.iter().map(|field| field.1).collect();
        let ast = self.ast;
        let (id, width) = match written {
            Written::No => return Some(tys.into_iter().map(|ty| (Written::No, ty)).collect()),
            Written::Here(id) => match &ast[*id].kind {
                TyKind::Tuple(parts) => {
                    return Some(parts.iter().map(|&part| Written::Here(part)).zip(tys).collect());
                }
                _ => (*id, self.width(written)),
            },
            Written::Inside(id, width) => (*id, width.clone()),
        };
        let widths = match width {
            Some(Width::Parts(widths)) if widths.len() == tys.len() => widths.into_vec(),
            _ => vec![None; tys.len()],
        };
        Some(widths.into_iter().map(|width| Written::Inside(id, width)).zip(tys).collect())
    }

    fn params(&mut self, written: Written, ty: Ty, place: TyId) -> Vec<Param> {
        let parts = self.tuple_parts(&written, ty).unwrap_or_else(|| vec![(written, ty)]);
        let mut params = Vec::new();
        for (written, ty) in parts {
            match self.tuple_parts(&written, ty) {
                Some(parts) if parts.is_empty() => {}
                Some(_) => {
                    let whole = self.by_value(&written, ty, place, &mut { MOST_FIELDS });
                    let fields = whole.map(|whole| whole.fields).unwrap_or_default();
                    let field = |(i, &(field, checked)): (usize, &(Field, bool))| match fields.len() {
                        1 if checked => Param::Checked(field.scalar),
                        1 => Param::Scalar(field.scalar),
                        _ => Param::Field { field, checked, first: i == 0 },
                    };
                    params.extend(fields.iter().enumerate().map(field));
                }
                None => params.extend(self.param(&written, ty, place)),
            }
        }
        params
    }

    /// A structure that goes by value, or one scalar: its fields; of each, whether it is an `int` or `word` that C has
    /// narrower. None after an error. `room` is for fewer fields than that.
    fn by_value(&mut self, written: &Written, ty: Ty, place: TyId, room: &mut u32) -> Option<Layout> {
        if *room == 0 {
            return None;
        }
        let Some(parts) = self.tuple_parts(written, ty).filter(|parts| !parts.is_empty()) else {
            *room -= 1;
            if *room == 0 {
                let message = format!("this structure has {MOST_FIELDS} fields or more");
                self.error("foreign/type", self.span_of(written, place), message);
                return None;
            }
            let scalar = self.scalar(written, ty, place)?;
            let narrow = matches!(scalar, Scalar::I32 | Scalar::U32);
            let checked = narrow && [tyname::INT, tyname::WORD].contains(&self.inside(ty));
            let size = scalar.size();
            return Some(Layout { fields: vec![(Field { scalar, at: 0 }, checked)], size, alignment: size });
        };
        let mut whole = Layout { fields: Vec::new(), size: 0, alignment: 1 };
        let mut wrong = false;
        for (written, ty) in parts {
            // All fields that are wrong are told of.
            let Some(part) = self.by_value(&written, ty, place, room) else {
                wrong = true;
                continue;
            };
            let start = whole.size.next_multiple_of(part.alignment);
            let moved = |(field, checked): (Field, bool)| (Field { at: start + field.at, ..field }, checked);
            whole.fields.extend(part.fields.into_iter().map(moved));
            whole.size = start + part.size;
            whole.alignment = whole.alignment.max(part.alignment);
        }
        whole.size = whole.size.next_multiple_of(whole.alignment);
        (!wrong).then_some(whole)
    }
    /// A parameter that is no structure.
    fn param(&mut self, written: &Written, ty: Ty, place: TyId) -> Option<Param> {
        let (name, args) = self.opened(ty);
        let elem_text = match written {
            Written::Here(id) => match &self.ast[*id].kind {
                TyKind::Con { args, .. } if args.len() == 1 => Some(args[0]),
                _ => None,
            },
            _ => None,
        };
        match name {
            tyname::STRING => Some(Param::Object),
            tyname::REF => Some(Param::Cell(self.scalar(&Written::of(elem_text), args[0], place)?)),
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
                            (Some(elem), _) => self.width(&Written::Here(elem)),
                            (None, Written::Here(all)) => self.width_of_array(*all),
                            (None, _) => None,
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
                        self.scalar(&Written::of(elem_text), args[0], place)?;
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
    fn result(&mut self, written: Written, ty: Ty, way: Way, place: TyId) -> Vec<Field> {
        let (mut written, mut ty) = (written, ty);
        if way.wants_errno() {
            match self.tuple_parts(&written, ty).as_deref() {
                Some([first, (_, number)]) if self.inside(*number) == tyname::INT => (written, ty) = first.clone(),
                _ if ty == ty::ERROR => return vec![],
                _ => {
                    let span = self.span_of(&written, place);
                    let message =
                        "with `errno` the result is a pair: what the function gives, and the number as an int";
                    self.error("foreign/type", span, message);
                    return vec![];
                }
            }
        }
        if ty == ty::UNIT {
            return vec![];
        }
        let whole = self.by_value(&written, ty, place, &mut { MOST_FIELDS });
        whole.map(|whole| whole.fields.into_iter().map(|field| field.0).collect()).unwrap_or_default()
    }

    /// What a type is in C; an error if it is nothing.
    fn scalar(&mut self, written: &Written, ty: Ty, place: TyId) -> Option<Scalar> {
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
                    (_, None | Some(Width::Parts(_))) => {
                        let (signed, last) = if name == tyname::INT { ("Int", "int") } else { ("Word", "word") };
                        let message = format!(
                            "`{}` is `{last}`, and whether that is C's `{}` or has 64 bits cannot be seen here",
                            self.show_core(ty),
                            c_name(name)
                        );
                        // Where the name itself is another type's, its structure says it.
                        let plain = self.ty_by_name(Symbol::intern(last)).and_then(|tystr| tystr.width.as_ref());
                        let before = if plain == Some(&Width::Int) { String::new() } else { format!("{signed}.") };
                        let in_c = c_name(name);
                        let help = format!("write `{before}{last}` for C's `{in_c}`, `{signed}64.{last}` for 64 bits");
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
                    "types of C are `int`, `word`, `real`, `char`, `bool` and their kin, `MLton.Pointer.t`, and tuples of \
                     them, which are structures; as arguments also strings, and arrays, vectors and references of them",
                ));
                return None;
            }
        })
    }

    /// The type inside of opaque ones.
    fn unsealed(&self, mut ty: Ty) -> Ty {
        while let TyData::Con(name, _) = &self.tables.types[ty]
            && let TyNameDef::Abstract { tyvars, ty: of } = &self.tables.tynames[*name].def
            && tyvars.is_empty()
            && ![tyname::POINTER, tyname::REAL32].contains(name)
        {
            ty = *of;
        }
        ty
    }

    /// The type constructor that a type has inside of opaque ones, and its arguments.
    fn opened(&self, ty: Ty) -> (TyName, Vec<Ty>) {
        match &self.tables.types[self.unsealed(ty)] {
            TyData::Con(name, args) => (*name, args.clone()),
            // No type of C.
            _ => (tyname::EXN, vec![]),
        }
    }

    fn inside(&self, ty: Ty) -> TyName {
        self.opened(ty).0
    }

    fn show_core(&mut self, ty: Ty) -> String {
        let ty = self.import(ty, &[]);
        self.show(ty)
    }

    fn span_of(&self, written: &Written, place: TyId) -> Span {
        self.ast[written.id().unwrap_or(place)].span
    }

    // -- widths

    /// How wide `int` or `word` is by how the type is written.
    fn width(&self, written: &Written) -> Option<Width> {
        let ast = self.ast;
        let id = match written {
            Written::No => return None,
            Written::Inside(_, width) => return width.clone(),
            Written::Here(id) => *id,
        };
        let TyKind::Con { args, con } = &ast[id].kind else { return None };
        if !args.is_empty() {
            return None;
        }
        let width = self.peek_ty(con)?.width.clone();
        // `structure Int64 = Int`: the name says one thing, the declaration another.
        let says_wide = |name| says_64(name) || WIDE.contains(&name);
        let is_its_own = ["int", "word", "elem"].contains(&con.symbol.as_str());
        width.filter(|width| *width != Width::Int || !is_its_own || !structure(con).is_some_and(says_wide))
    }

    /// Likewise of the elements of `Int64Array.array`. Here a name can only be right: they have 64 bits in any case.
    fn width_of_array(&self, written: TyId) -> Option<Width> {
        let TyKind::Con { con, .. } = &self.ast[written].kind else { return None };
        structure(con).filter(|name| says_64(name)).map(|_| Width::Wide)
    }

    /// What an abbreviation of `int` or `word`, or of a tuple of them, is in C. `type int = int` hands on a name, and
    /// its structure may be `Int64` by another name: of it nothing is known.
    pub(crate) fn width_of_abbreviation(&mut self, name: Symbol, written: TyId, ty: Ty) -> Option<Width> {
        let is_name = |name: Symbol| ["int", "word"].contains(&name.as_str());
        let is_bare = |con: &LongId| con.qualifiers.is_empty() && is_name(con.symbol);
        if is_name(name) && matches!(&self.ast[written].kind, TyKind::Con { con, .. } if is_bare(con)) {
            return None;
        }
        let mut room = MOST_PARTS;
        self.width_of(&Written::Here(written), ty, &mut room).filter(|_| room > 0)
    }

    /// Looks at `room` parts: a type may be a graph whose tree is exponentially larger.
    fn width_of(&mut self, written: &Written, ty: Ty, room: &mut usize) -> Option<Width> {
        *room = room.saturating_sub(1);
        if *room == 0 {
            return None;
        }
        if [tyname::INT, tyname::WORD].contains(&self.inside(ty)) {
            return self.width(written);
        }
        let parts = self.tuple_parts(written, ty)?;
        let widths: Box<[_]> = parts.into_iter().map(|(written, ty)| self.width_of(&written, ty, room)).collect();
        widths.iter().any(Option::is_some).then_some(Width::Parts(widths))
    }
}

/// The structure that a type's name says.
fn structure(con: &LongId) -> Option<&'static str> {
    con.qualifiers.last().map(|name| name.as_str())
}

/// Is it `Int64`, `Word64`, or one of the structures of their arrays and vectors?
fn says_64(structure: &str) -> bool {
    structure.starts_with("Int64") || structure.starts_with("Word64")
}

fn c_name(name: TyName) -> &'static str {
    if name == tyname::INT { "int" } else { "unsigned" }
}

/// An attribute that does not go with `leaf` and `pure`.
fn is_way(attribute: Symbol) -> bool {
    ["errno", "blocking", "reentrant", "variadic"].contains(&attribute.as_str())
}

/// The types of an exported function in C: it makes no difference there what SML looks at.
fn in_c(exported: &Foreign) -> InC {
    let param = |param: &Param| match *param {
        Param::Checked(scalar) => Param::Scalar(scalar),
        Param::Field { field, first, .. } => Param::Field { field, checked: false, first },
        other => other,
    };
    (exported.params.iter().map(param).collect(), exported.result.clone())
}

/// Why no program exports a function of this name.
fn not_exported(name: &str) -> Option<String> {
    if name == "main" {
        return Some("`main` is where a program begins: an exported function has another name".to_string());
    }
    if C_WORDS.contains(&name) {
        return Some(format!("`{name}` is a word of C, and no function's name"));
    }
    if name.starts_with("leat_") {
        return Some(format!("`{name}` is a name of Leat's own, as all that begin with `leat_`"));
    }
    let called = RUNTIME_CALLS.contains(&name);
    called.then(|| format!("`{name}` is a function that Leat's runtime calls: an exported one has another name"))
}

/// A name that C and the linker take.
fn is_symbol(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$.@".contains(c))
}
