//! A description, as `lib/debugger/debugger.sml` writes it, and the variable's type -> the text of the value, its
//! parts, theirs.
//!
//! The description knows how a value is made, the type what its records' labels are and what is abstract. Where the
//! type has a type variable, the description alone has to do. A record of one field is described as that field: it is
//! seen in the type, and its part is [`ONLY`] in a path.

use leat_base::Symbol;
use leat_driver::Session;
use leat_elab::Tables;
use leat_elab::builtin::{ty, tyname};
use leat_elab::ir::{Ty, TyData, TyNameDef, TyVar};
use leat_repl::types::{self, Scope};
use serde_json::Value as Json;

use crate::protocol::{Part, Value};

/// Characters of a string that are shown.
const STRING: usize = 200;

/// How deep a value is shown inside of another; one level more is asked for.
pub const DEPTH: i64 = 5;

/// Parts of a list, array or vector that are shown inside of a text.
const LENGTH: usize = 10;

/// The only field of a record, in a path: no step of the description.
pub const ONLY: i64 = -1;

/// What is described.
#[derive(Clone, Debug)]
pub enum Node {
    Leaf(String),
    /// Of this type.
    Typed(Ty, String),
    Parts {
        kind: ValueKind,
        name: String,
        count: u64,
        first: u64,
        parts: Vec<Node>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    Tuple,
    Record,
    Con,
    Ref,
    Array,
    Vector,
    List,
}

impl Node {
    pub fn parse(text: &str) -> Option<Node> {
        Node::of(&serde_json::from_str(text).ok()?)
    }

    fn of(json: &Json) -> Option<Node> {
        if let Some(text) = json.as_str() {
            return Some(Node::Leaf(String::from_utf8_lossy(&bytes(text)).into_owned()));
        }
        if let [mark, ty, text] = json.as_array()?.as_slice()
            && mark == "="
        {
            let (ty, bytes) = (base_type(ty.as_str()?), bytes(text.as_str()?));
            let mut text = String::new();
            if ty == Some(ty::STRING) {
                text.push('"');
                leat_repl::values::characters(&bytes, usize::MAX, &mut text);
                text.push('"');
            } else {
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
            return Some(match ty {
                Some(ty) => Node::Typed(ty, text),
                None => Node::Leaf(text),
            });
        }
        let [kind, name, count, first, parts] = json.as_array()?.as_slice() else { return None };
        let kind = match kind.as_str()? {
            "t" => ValueKind::Tuple,
            "r" => ValueKind::Record,
            "c" => ValueKind::Con,
            "f" => ValueKind::Ref,
            "a" => ValueKind::Array,
            "v" => ValueKind::Vector,
            "l" => ValueKind::List,
            _ => return None,
        };
        let parts = parts.as_array()?.iter().map(Node::of).collect::<Option<Vec<Node>>>()?;
        Some(Node::Parts {
            kind,
            name: name.as_str()?.to_string(),
            count: count.as_u64()?,
            first: first.as_u64()?,
            parts,
        })
    }
}

/// Types while values are shown.
pub struct Types<'s> {
    pub session: &'s mut Session,
}

impl Types<'_> {
    fn tables(&self) -> &Tables {
        self.session.tables()
    }

    /// A type as the user would write it.
    pub fn text(&self, ty: Ty) -> String {
        types::ty(Scope { tables: self.tables(), basis: self.session.basis() }, ty)
    }

    /// What an opaque type stands for, if it is one.
    fn seen_through(&mut self, ty: Ty) -> Ty {
        self.session.tables_mut().expand_abstract(ty)
    }

    /// Label and type of the only field, if the type is a record of one field and this describes that field.
    fn only_field(&mut self, node: &Node, ty: Option<Ty>) -> Option<(String, Ty)> {
        // A constructor's argument is described with its label.
        if matches!(node, Node::Parts { kind: ValueKind::Record, count: 1, .. }) {
            return None;
        }
        let ty = self.seen_through(ty?);
        match &self.tables().types[ty] {
            TyData::Record(fields) if fields.len() == 1 => Some((fields[0].0.to_string(), fields[0].1)),
            _ => None,
        }
    }

    /// The type of a part.
    pub fn part(&mut self, ty: Option<Ty>, kind: ValueKind, name: &str, index: u64) -> Option<Ty> {
        let ty = self.seen_through(ty?);
        match (&self.tables().types[ty], kind) {
            (TyData::Record(fields), ValueKind::Tuple | ValueKind::Record) => {
                fields.get(index as usize).map(|field| field.1)
            }
            (TyData::Con(_, args), ValueKind::Ref | ValueKind::Array | ValueKind::Vector | ValueKind::List)
                if args.len() == 1 =>
            {
                Some(args[0])
            }
            (TyData::Con(con, args), ValueKind::Con | ValueKind::List) => {
                let (con, args) = (*con, args.clone());
                let TyNameDef::Datatype { tyvars, cons } = &self.tables().tynames[con].def else { return None };
                let arg = cons.iter().find(|con| con.name.as_str() == name)?.arg?;
                let tyvars = tyvars.clone();
                Some(self.session.tables_mut().substitute(arg, &tyvars, &args))
            }
            _ => None,
        }
    }

    fn labels(&mut self, ty: Option<Ty>, name: &str) -> Option<Vec<String>> {
        if !name.is_empty() {
            return Some(name.split(',').map(str::to_string).collect());
        }
        let ty = self.seen_through(ty?);
        let TyData::Record(fields) = &self.tables().types[ty] else { return None };
        Some(fields.iter().map(|field| field.0.to_string()).collect())
    }

    /// The text of a value.
    pub fn show(&mut self, node: &Node, ty: Option<Ty>) -> String {
        let mut out = String::new();
        self.show_at(node, ty, false, &mut out);
        out
    }

    fn show_at(&mut self, node: &Node, ty: Option<Ty>, tight: bool, out: &mut String) {
        if let Some((label, ty)) = self.only_field(node, ty) {
            out.push_str(&format!("{{{label} = "));
            self.show_at(node, Some(ty), false, out);
            return out.push('}');
        }
        let (kind, name, count, parts) = match node {
            Node::Leaf(text) | Node::Typed(_, text) => return out.push_str(&shortened(text)),
            Node::Parts { kind, name, count, parts, .. } => (*kind, name, *count, parts),
        };
        if parts.is_empty() && count > 0 {
            return out.push('#');
        }
        let listed = |this: &mut Self, labels: Option<&[String]>, open: &str, close: &str, out: &mut String| {
            out.push_str(open);
            for (i, part) in parts.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                if i >= LENGTH && kind != ValueKind::Tuple && kind != ValueKind::Record {
                    out.push_str("...");
                    break;
                }
                if let Some(label) = labels.and_then(|labels| labels.get(i)) {
                    out.push_str(&format!("{label} = "));
                }
                let ty = this.part(ty, kind, name, i as u64);
                this.show_at(part, ty, false, out);
            }
            if (parts.len() as u64) < count && parts.len() < LENGTH {
                out.push_str(", ...");
            }
            out.push_str(close);
        };
        match kind {
            ValueKind::Tuple | ValueKind::Record => {
                let is_tuple =
                    |labels: &[String]| labels.len() != 1 && labels.first().is_some_and(|label| label == "1");
                match self.labels(ty, name).filter(|labels| !is_tuple(labels)) {
                    Some(labels) => listed(self, Some(&labels), "{", "}", out),
                    None => listed(self, None, "(", ")", out),
                }
            }
            ValueKind::List => listed(self, None, "[", "]", out),
            ValueKind::Vector => listed(self, None, "#[", "]", out),
            ValueKind::Array => listed(self, None, "[|", "|]", out),
            ValueKind::Con | ValueKind::Ref => {
                let name = if kind == ValueKind::Ref { "ref" } else { name };
                let arg = self.part(ty, kind, name, 0);
                out.push_str(if tight { "(" } else { "" });
                match parts.first() {
                    Some(Node::Parts { kind: ValueKind::Tuple, count: 2, parts, .. })
                        if is_symbolic(name) && parts.len() == 2 =>
                    {
                        let sides = [0, 1].map(|i| self.part(arg, ValueKind::Tuple, "", i));
                        self.show_at(&parts[0], sides[0], true, out);
                        out.push_str(&format!(" {name} "));
                        self.show_at(&parts[1], sides[1], true, out);
                    }
                    Some(part) => {
                        out.push_str(name);
                        out.push(' ');
                        self.show_at(part, arg, true, out);
                    }
                    None => out.push_str(name),
                }
                out.push_str(if tight { ")" } else { "" });
            }
        }
    }

    /// A value with the number of its parts.
    pub fn value(&mut self, node: &Node, ty: Option<Ty>) -> Value {
        let (parts, is_indexed) = match node {
            _ if self.only_field(node, ty).is_some() => (1, false),
            Node::Leaf(_) | Node::Typed(..) => (0, false),
            Node::Parts { kind, count, .. } => {
                (*count, matches!(kind, ValueKind::List | ValueKind::Array | ValueKind::Vector))
            }
        };
        let text = self.show(node, ty);
        let ty = ty.map(|ty| self.instance(node, ty));
        Value { text, ty: ty.map_or_else(String::new, |ty| self.text(ty)), parts, is_indexed }
    }

    /// A type with what its type variables stand for here, as far as the value shows it.
    fn instance(&mut self, node: &Node, ty: Ty) -> Ty {
        let mut found = Vec::new();
        self.find_instance(node, ty, &mut found);
        let (vars, args): (Vec<TyVar>, Vec<Ty>) = found.into_iter().unzip();
        self.session.tables_mut().substitute(ty, &vars, &args)
    }

    fn find_instance(&mut self, node: &Node, ty: Ty, found: &mut Vec<(TyVar, Ty)>) {
        if let TyData::Var(var) = self.tables().types[ty] {
            if !found.iter().any(|known| known.0 == var)
                && let Some(ty) = self.type_of(node)
            {
                found.push((var, ty));
            }
            return;
        }
        if let Some((_, ty)) = self.only_field(node, Some(ty)) {
            return self.find_instance(node, ty, found);
        }
        let Node::Parts { kind, name, first, parts, .. } = node else { return };
        for (i, part) in (*first..).zip(parts) {
            if let Some(ty) = self.part(Some(ty), *kind, name, i) {
                self.find_instance(part, ty, found);
            }
        }
    }

    /// The type of a value that shows it.
    fn type_of(&mut self, node: &Node) -> Option<Ty> {
        let (kind, parts) = match node {
            Node::Leaf(_) => return None,
            Node::Typed(ty, _) => return Some(*ty),
            Node::Parts { kind, count, parts, .. } if *count > 0 || *kind == ValueKind::Tuple => (*kind, parts),
            Node::Parts { .. } => return None,
        };
        let container = match kind {
            ValueKind::List => tyname::LIST,
            ValueKind::Array => tyname::ARRAY,
            ValueKind::Vector => tyname::VECTOR,
            ValueKind::Ref => tyname::REF,
            ValueKind::Tuple => {
                let mut fields = Vec::new();
                for (i, part) in parts.iter().enumerate() {
                    fields.push((Symbol::tuple_label(i + 1), self.type_of(part)?));
                }
                return Some(self.session.tables_mut().intern(TyData::Record(fields)));
            }
            ValueKind::Record | ValueKind::Con => return None,
        };
        let elem = self.type_of(parts.first()?)?;
        Some(self.session.tables_mut().intern(TyData::Con(container, vec![elem])))
    }

    /// The parts of a value that are described, with their names.
    pub fn parts(&mut self, node: &Node, ty: Option<Ty>) -> Vec<Part> {
        let ty = ty.map(|ty| self.instance(node, ty));
        if let Some((name, ty)) = self.only_field(node, ty) {
            return vec![Part { name, index: ONLY, value: self.value(node, Some(ty)) }];
        }
        let Node::Parts { kind, name, first, parts, .. } = node else { return Vec::new() };
        let labels = match kind {
            ValueKind::Tuple | ValueKind::Record => self.labels(ty, name),
            _ => None,
        };
        let mut out = Vec::with_capacity(parts.len());
        for (i, part) in (*first..).zip(parts) {
            let ty = self.part(ty, *kind, name, i);
            let name = match (kind, labels.as_ref().and_then(|labels| labels.get(i as usize))) {
                (_, Some(label)) => label.clone(),
                (ValueKind::Tuple | ValueKind::Record, None) => (i + 1).to_string(),
                (ValueKind::Con, None) => name.clone(),
                (ValueKind::Ref, None) => "!".to_string(),
                (ValueKind::List | ValueKind::Array | ValueKind::Vector, None) => format!("[{i}]"),
            };
            out.push(Part { name, index: i as i64, value: self.value(part, ty) });
        }
        out
    }

    /// The type of what a path leads to; the descriptions on the way are not known, so constructors are only seen
    /// through where a datatype has one with an argument.
    pub fn along(&mut self, ty: Option<Ty>, path: &[i64]) -> Option<Ty> {
        let mut at = ty;
        for &index in path {
            let ty = self.seen_through(at?);
            at = match &self.tables().types[ty] {
                TyData::Record(fields) => fields.get(index.max(0) as usize).map(|field| field.1),
                TyData::Con(con, args)
                    if *con == tyname::LIST || args.len() == 1 && is_container(self.tables(), *con) =>
                {
                    args.first().copied()
                }
                TyData::Con(con, args) => {
                    let (con, args) = (*con, args.clone());
                    let TyNameDef::Datatype { tyvars, cons } = &self.tables().tynames[con].def else { return None };
                    let mut with = cons.iter().filter_map(|con| con.arg);
                    let arg = with.next().filter(|_| with.next().is_none())?;
                    let tyvars = tyvars.clone();
                    Some(self.session.tables_mut().substitute(arg, &tyvars, &args))
                }
                _ => None,
            };
        }
        at
    }
}

/// A text of SML's, each character of which is a byte.
fn bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| c as u8).collect()
}

/// The type of a value without parts.
fn base_type(name: &str) -> Option<Ty> {
    Some(match name {
        "int" => ty::INT,
        "word" => ty::WORD,
        "char" => ty::CHAR,
        "real" => ty::REAL,
        "string" => ty::STRING,
        "exn" => ty::EXN,
        _ => return None,
    })
}

fn is_container(tables: &Tables, name: leat_elab::ir::TyName) -> bool {
    matches!(tables.tynames[name].def, TyNameDef::Prim(_))
}

fn is_symbolic(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_alphabetic() || c == '\'')
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= STRING {
        return text.to_string();
    }
    let cut: String = text.chars().take(STRING).collect();
    if text.starts_with('"') { cut + "...\"" } else { cut + "..." }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_read() {
        let node = Node::parse(r#"["l","",3,0,["1",["c","SOME",1,0,["\"a\""]]]]"#);
        let text = |json: &str| match Node::parse(json) {
            Some(Node::Typed(ty::STRING | ty::EXN, text) | Node::Leaf(text)) => text,
            node => panic!("{json}: {node:?}"),
        };
        // UTF-8 stays as it is, as the prompt prints it.
        assert_eq!(text(r#"["=","string","\u00C3\u00A9\u00FF\"\u000A"]"#), r#""é\255\"\n""#);
        assert_eq!(text(r#"["=","exn","Fail: \u00C3\u00A9"]"#), "Fail: é");
        assert_eq!(text(r#""raises Fail: \u00C3\u00A9""#), "raises Fail: é");
        assert!(matches!(Node::parse(r#"["=","int","3"]"#), Some(Node::Typed(ty::INT, text)) if text == "3"));
        let Some(Node::Parts { kind: ValueKind::List, count: 3, parts, .. }) = node else { panic!("{node:?}") };
        assert!(matches!(&parts[0], Node::Leaf(text) if text == "1"));
        for bad in
            ["", "[]", "[1,2]", r#"["x","",0,0,[]]"#, r#"["t","",-1,0,[]]"#, r#"["t","",1,0,[3]]"#, r#"["=",1,"x"]"#]
        {
            assert!(Node::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shortened("\"abc\""), "\"abc\"");
        let long = shortened(&format!("\"{}\"", "é".repeat(300)));
        assert!(long.ends_with("é...\"") && long.chars().count() == STRING + 4);
    }
}
