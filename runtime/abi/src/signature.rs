//! Types of primitives: text in SML's syntax -> [`Signature`].
//!
//! ```text
//! ty    ::= row -> ty | row        row ::= item * ... * item
//! item  ::= name | 'a | (ty) | item container
//! ```
//!
//! Names are SML's (`unit int word word8 char bool real string exn thread`), and containers (`ref array vector weak`).
//! A few more say what SML's types cannot:
//!
//! - `never` as a result: control does not come back. The library may write any type there.
//! - `number`: what a register holds at any type: ints, words, chars, reals, enumerations, and abstract types over
//!   them.
//! - `integer`: likewise without reals.
//! - `'a seq`: an array or a vector. A string is a vector of char.
//! - `bytes`: a string, or an array or vector of chars or of 8-bit words.

use std::fmt;

/// A type of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// `'a` is 0.
    Var(u8),
    Name(Name),
    Of(Box<Type>, Container),
    Tuple(Vec<Type>),
    Arrow(Box<Type>, Box<Type>),
}

/// What compiled code passes for a value of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register {
    /// No value.
    None,
    Int,
    Real,
    Ref,
    /// An integer or a reference: a type variable.
    Word,
}

macro_rules! names {
    ($(#[$about:meta])* $name:ident { $($case:ident $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name { $($case),* }

        impl $name {
            const ALL: &[($name, &str)] = &[$(($name::$case, $text)),*];

            fn of(text: &str) -> Option<$name> {
                Self::ALL.iter().find(|row| row.1 == text).map(|row| row.0)
            }

            pub fn text(self) -> &'static str {
                Self::ALL[self as usize].1
            }
        }
    };
}

names! {
    /// A type without arguments.
    Name {
        Unit "unit",
        Int "int",
        Word "word",
        Word8 "word8",
        Char "char",
        Bool "bool",
        Real "real",
        String "string",
        Exn "exn",
        Thread "thread",
        Never "never",
        Number "number",
        Integer "integer",
        Bytes "bytes",
    }
}

names! {
    /// What holds elements of a type.
    Container {
        Ref "ref",
        Array "array",
        Vector "vector",
        Weak "weak",
        Seq "seq",
    }
}

/// The type of a primitive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// The components of a tuple, nothing for `unit`, else the one argument.
    pub args: Vec<Type>,
    pub result: Type,
}

/// Where the element type of a polymorphic primitive is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// In the type of its first argument: `'a array * int -> 'a`.
    OfFirst,
    /// In the type of its result: `int -> 'a array`.
    OfResult,
}

impl Type {
    pub const UNIT: Type = Type::Name(Name::Unit);

    /// The element, if it is a container of a type variable.
    fn element(&self) -> Option<&Type> {
        match self {
            Type::Of(element, _) if matches!(**element, Type::Var(_)) => Some(element),
            _ => None,
        }
    }

    pub fn register(&self) -> Register {
        match self {
            Type::Name(Name::Unit | Name::Never) => Register::None,
            Type::Name(Name::Real) => Register::Real,
            Type::Name(Name::String | Name::Exn | Name::Thread | Name::Bytes) => Register::Ref,
            Type::Name(_) => Register::Int,
            Type::Var(_) => Register::Word,
            Type::Of(..) | Type::Tuple(_) | Type::Arrow(..) => Register::Ref,
        }
    }
}

impl Signature {
    pub fn parse(text: &str) -> Result<Signature, String> {
        let mut parser = Parser { rest: text };
        let ty = parser.ty()?;
        if !parser.rest.is_empty() {
            return Err(format!("`{}` is left over", parser.rest));
        }
        let Type::Arrow(from, result) = ty else { return Err("no function".to_string()) };
        let args = match *from {
            Type::Tuple(parts) => parts,
            Type::Name(Name::Unit) => Vec::new(),
            one => vec![one],
        };
        Ok(Signature { args, result: *result })
    }

    /// Its argument is one value, whatever a type variable stands for: no tuple is taken apart.
    pub fn takes_one(&self) -> bool {
        self.args.len() == 1
    }

    /// Control does not come back.
    pub fn is_final(&self) -> bool {
        self.result == Type::Name(Name::Never)
    }

    /// Where the element type stands that the compiler must know.
    pub fn element(&self) -> Option<Element> {
        if self.result.element().is_some() {
            Some(Element::OfResult)
        } else {
            self.args.first()?.element().map(|_| Element::OfFirst)
        }
    }

    /// The result is a value of the element's type, so it is one value even if that is unit.
    pub fn gives_element(&self) -> bool {
        matches!(self.result, Type::Var(_))
            && match &self.args[..] {
                [Type::Var(_)] => true,
                [first, ..] => first.element() == Some(&self.result),
                [] => false,
            }
    }
}

struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    /// Takes this off the front, and blanks behind it.
    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '\'').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn ty(&mut self) -> Result<Type, String> {
        let mut parts = vec![self.item()?];
        while self.take("* ") {
            parts.push(self.item()?);
        }
        let from = if parts.len() == 1 { parts.remove(0) } else { Type::Tuple(parts) };
        if !self.take("->") {
            return Ok(from);
        }
        Ok(Type::Arrow(Box::new(from), Box::new(self.ty()?)))
    }

    fn item(&mut self) -> Result<Type, String> {
        let mut ty = if self.take("(") {
            let inner = self.ty()?;
            if !self.take(")") {
                return Err(format!("`)` is missing before `{}`", self.rest));
            }
            inner
        } else {
            let word = self.word();
            match (word.as_bytes(), Name::of(word)) {
                ([b'\'', letter @ b'a'..=b'z'], _) => Type::Var(letter - b'a'),
                (_, Some(name)) => Type::Name(name),
                _ => return Err(format!("there is no type `{word}`")),
            }
        };
        while self.rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let word = self.word();
            let container = Container::of(word).ok_or_else(|| format!("there is no type constructor `{word}`"))?;
            ty = Type::Of(Box::new(ty), container);
        }
        Ok(ty)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.args[..] {
            [] => f.write_str("unit")?,
            [one] => write!(f, "{one}")?,
            parts => write!(f, "{}", Type::Tuple(parts.to_vec()))?,
        }
        write!(f, " -> {}", self.result)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Var(n) => write!(f, "'{}", (b'a' + n) as char),
            Type::Name(name) => f.write_str(name.text()),
            Type::Of(element, container) => write!(f, "{element} {}", container.text()),
            Type::Tuple(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let star = if i > 0 { " * " } else { "" };
                    write!(f, "{star}{part}")?;
                }
                Ok(())
            }
            Type::Arrow(from, to) => write!(f, "({from} -> {to})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_sml_reads_them() {
        let signature = Signature::parse("'a array * int * (unit -> unit) -> 'a").unwrap();
        let function = Type::Arrow(Box::new(Type::UNIT), Box::new(Type::UNIT));
        let array = Type::Of(Box::new(Type::Var(0)), Container::Array);
        assert_eq!(signature.args, [array, Type::Name(Name::Int), function]);
        assert!(signature.gives_element() && signature.element() == Some(Element::OfFirst));
        assert!(Signature::parse("unit -> never").unwrap().is_final());
        for bad in ["int", "int -> intt", "int * -> int", "int list -> int", "(int -> int", "int -> int)"] {
            assert!(Signature::parse(bad).is_err(), "{bad}");
        }
    }
}
