//! What a header declares, as far as SML can have it: what `read.rs` makes, and what `sml.rs` and `glue.rs` print.

pub use crate::clang::Value;

/// A type of C.
#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    Void,
    /// `_Bool`, which has one byte.
    Bool,
    Char,
    /// So many bits.
    Int(u32),
    Word(u32),
    Real32,
    Real,
    /// An address of anything.
    Pointer,
    /// An address of a structure or union, by its number.
    To(usize),
    /// An address of a function whose type is known, by its number.
    Function(usize),
    /// A parameter that is a text: a zero byte is added.
    Text,
    /// A parameter by whose address C reads and writes one value.
    Ref(Box<Type>),
    /// A parameter that is a vector or an array of such values.
    Elements {
        of: Box<Type>,
        change: bool,
    },
    /// A structure or union itself.
    Record(usize),
    /// A field that is an array.
    Array(Box<Type>),
}

/// A structure or union.
#[derive(Debug)]
pub struct Record {
    /// In SML.
    pub name: String,
    /// In C: `struct point`, or the name of a `typedef`; without one no C can be written of it.
    pub c: Option<String>,
    /// What its declaration begins with.
    pub union: bool,
    /// In bytes; None of one of which only the name is known.
    pub size: Option<u64>,
    /// In bytes.
    pub alignment: u64,
    pub fields: Vec<Field>,
    /// All of its fields are there.
    pub whole: bool,
    pub doc: String,
    /// It is in the output: it stands in a header that is bound, or something that is bound needs it.
    pub used: bool,
}

#[derive(Debug)]
pub struct Field {
    /// In SML, behind `get_`, `set_` and `at_`.
    pub name: String,
    /// In C, from the record on: `a.b`.
    pub path: String,
    /// In bytes.
    pub offset: u64,
    /// It has bits of a word only, so C reads and writes it.
    pub bits: bool,
    pub constant: bool,
    pub ty: Type,
    /// Its declaration, and its type alone.
    pub c: String,
    pub c_type: String,
    pub doc: String,
}

/// A type of functions that C calls by their addresses.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub signature: Signature,
    /// Its type in C.
    pub c: String,
    pub doc: String,
    pub used: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Signature {
    pub params: Vec<Type>,
    pub result: Type,
}

/// A function of C.
#[derive(Debug)]
pub struct Import {
    pub name: String,
    /// The symbol.
    pub symbol: String,
    pub signature: Signature,
    /// Types of C, for the function between that is written in C: of the parameters, then of the result.
    pub c_types: Vec<String>,
    /// How it is called: attributes of `_import`.
    pub attributes: Vec<String>,
    /// No library has it by its symbol, or `_import` does not know one of its types: it is `inline`, or takes or gives
    /// unions and structures that are no tuples of scalars.
    pub glue: bool,
    pub prototype: String,
    pub doc: String,
}

#[derive(Debug)]
pub struct Variable {
    pub name: String,
    pub symbol: String,
    pub ty: Type,
    pub constant: bool,
    pub c: String,
    pub doc: String,
}

/// A macro or a constant of an enumeration.
#[derive(Debug)]
pub struct Constant {
    pub name: String,
    pub value: Constants,
    pub doc: String,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Constants {
    Value(Value),
    /// An address that is a number.
    Pointer(u64),
}

/// The constants of an enumeration stand together.
#[derive(Debug)]
pub struct Enumeration {
    /// In C; empty where it has no name.
    pub c: String,
    pub constants: Vec<Constant>,
    pub doc: String,
}

/// All of it.
#[derive(Debug, Default)]
pub struct Header {
    pub records: Vec<Record>,
    pub functions: Vec<Function>,
    pub enumerations: Vec<Enumeration>,
    pub constants: Vec<Constant>,
    pub imports: Vec<Import>,
    pub variables: Vec<Variable>,
    /// What is not bound: the reason, and the names.
    pub left: Vec<(String, Vec<String>)>,
}

impl Type {
    /// The size of a scalar, which is its alignment, too.
    pub fn scalar_size(&self) -> Option<u64> {
        Some(match self {
            Type::Bool | Type::Char => 1,
            Type::Int(bits) | Type::Word(bits) => u64::from(*bits / 8),
            Type::Real32 => 4,
            Type::Real | Type::Pointer | Type::To(_) | Type::Function(_) => 8,
            Type::Void | Type::Text | Type::Ref(_) | Type::Elements { .. } | Type::Record(_) | Type::Array(_) => {
                return None;
            }
        })
    }

    /// An address of a function that is no callback is one of anything.
    fn be_address(&mut self, is_callback: &[bool]) {
        match self {
            Type::Function(number) if !is_callback[*number] => *self = Type::Pointer,
            Type::Ref(of) | Type::Array(of) | Type::Elements { of, .. } => of.be_address(is_callback),
            _ => {}
        }
    }
}

impl Header {
    /// Does `_import` have the structure by value? Then all fields are scalars or such structures, and each lies where
    /// a tuple has it: not so in unions, with bit fields and arrays, and where an attribute says another place.
    pub fn is_tuple(&self, number: usize) -> bool {
        let record = &self.records[number];
        let (mut end, mut widest) = (0u64, 1);
        let fits = record.fields.iter().all(|field| {
            let (size, alignment) = match field.ty {
                Type::Record(inner) if self.is_tuple(inner) => {
                    (self.records[inner].size.unwrap_or(0), self.records[inner].alignment)
                }
                _ => match field.ty.scalar_size() {
                    Some(size) => (size, size),
                    None => return false,
                },
            };
            let here = field.offset == end.next_multiple_of(alignment) && !field.bits;
            (end, widest) = (field.offset + size, widest.max(alignment));
            here
        });
        let size = Some(end.next_multiple_of(widest));
        fits && end > 0 && !record.union && record.whole && record.size == size && record.alignment == widest
    }

    /// Can a function of SML be one of these? Then each structure that goes by value is a tuple.
    pub fn is_callback(&self, number: usize) -> bool {
        let signature = &self.functions[number].signature;
        let mut types = signature.params.iter().chain([&signature.result]);
        types.all(|ty| !matches!(ty, Type::Record(number) if !self.is_tuple(*number)))
    }

    /// Of a function that is no callback there is an address, and no more. When all fields of structures are known.
    pub fn without_callbacks_of_addresses(&mut self) {
        let is_callback: Vec<bool> = (0..self.functions.len()).map(|number| self.is_callback(number)).collect();
        let signatures = self.imports.iter_mut().map(|import| &mut import.signature);
        let types = signatures
            .chain(self.functions.iter_mut().map(|function| &mut function.signature))
            .flat_map(|signature| signature.params.iter_mut().chain([&mut signature.result]))
            .chain(self.records.iter_mut().flat_map(|record| &mut record.fields).map(|field| &mut field.ty))
            .chain(self.variables.iter_mut().map(|variable| &mut variable.ty));
        types.for_each(|ty| ty.be_address(&is_callback));
        for (function, is_callback) in self.functions.iter_mut().zip(is_callback) {
            function.used &= is_callback;
        }
    }

    pub fn leave(&mut self, reason: &str, name: &str) {
        match self.left.iter_mut().find(|row| row.0 == reason) {
            Some((_, names)) => names.push(name.to_string()),
            None => self.left.push((reason.to_string(), vec![name.to_string()])),
        }
    }
}
