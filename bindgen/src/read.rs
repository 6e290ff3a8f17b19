//! A header -> what of it SML can have (`model.rs`), and why the rest is left.
//!
//! What is bound: what the header itself declares, and the headers that belong to it (`belong.rs`). Types of others are
//! addresses of anything.

use std::collections::{HashMap, HashSet};

use crate::belong::Belong;
use crate::clang::{Cursor, Type as CType, Unit, kind, storage, types};
use crate::model::*;
use crate::names::{Names, comment};
use crate::{Options, Rule};

pub struct Reader<'a> {
    options: &'a Options,
    belong: &'a Belong<'a>,
    /// The rules of the command line that fit something: of attributes and of parameters, by their numbers.
    fitting: [HashSet<usize>; 2],
    /// Names of `typedef`s for what has none, or another.
    aliases: HashMap<String, String>,
    records: HashMap<String, usize>,
    /// What has the name of a constant only: `typedef const struct { .. } name`.
    constant: HashSet<String>,
    /// Records whose fields are to be read.
    waiting: Vec<(usize, Cursor<'a>)>,
    callbacks: HashMap<String, usize>,
    types: Names,
    values: Names,
    header: Header,
}

/// Where a type stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Of a function that SML calls.
    Parameter,
    Result,
    Field,
    /// Of a function that C calls.
    Callback,
}

/// Reads what a unit declares, which has no errors. `values` knows those of macros. The second part is the rules that
/// fit nothing that is bound.
pub fn read<'a>(
    unit: &'a Unit,
    belong: &'a Belong<'a>,
    options: &'a Options,
    values: impl FnOnce(&[String]) -> Vec<Option<Result<Constants, &'static str>>>,
) -> (Header, Vec<&'a Rule>) {
    let mut reader = Reader {
        options,
        belong,
        fitting: Default::default(),
        aliases: HashMap::new(),
        records: HashMap::new(),
        constant: HashSet::new(),
        waiting: Vec::new(),
        callbacks: HashMap::new(),
        types: Names::new(&options.prefixes, true),
        values: Names::new(&options.prefixes, false),
        header: Header::default(),
    };
    let cursors: Vec<Cursor> = unit.cursors().into_iter().filter(|cursor| reader.is_bound(*cursor)).collect();
    for cursor in cursors.iter().filter(|cursor| cursor.kind() == kind::TYPEDEF) {
        let of = cursor.underlying().canonical();
        if of.kind() == types::RECORD || of.kind() == types::ENUM {
            let (name, is_private) = (cursor.name(), reader.is_private(*cursor));
            let identity = of.declaration().identity();
            if of.is_const() {
                if !of.declaration().is_anonymous() {
                    continue;
                }
                reader.constant.insert(identity.clone());
            }
            let alias = reader.aliases.entry(identity).or_insert_with(|| name.clone());
            // Of several the first one; but in the C library `sigset_t` is better than `__sigset_t`.
            if is_private && alias.starts_with("__") && !name.starts_with("__") {
                *alias = name;
            }
        }
    }
    let renamed = reader.renamed(unit, &cursors);
    for &cursor in &cursors {
        match cursor.kind() {
            kind::STRUCT | kind::UNION if reader.is_hidden(cursor) => {}
            kind::STRUCT | kind::UNION if !cursor.is_anonymous() || reader.has_alias(cursor) => {
                let number = reader.record(cursor, "");
                reader.header.records[number].used |= reader.wants(&cursor.name());
            }
            kind::ENUM => reader.enumeration(cursor),
            kind::TYPEDEF if reader.wants(&cursor.name()) && !reader.is_hidden(cursor) => {
                if let Type::Function(number) = reader.function_pointer(cursor.ty(), "") {
                    reader.header.functions[number].used = true;
                }
            }
            _ => {}
        }
        reader.fields();
    }
    let mut seen = HashSet::new();
    for &cursor in &cursors {
        let symbol = cursor.name();
        if ![kind::FUNCTION, kind::VARIABLE].contains(&cursor.kind()) || !seen.insert(symbol.clone()) {
            continue;
        }
        for name in renamed.get(&symbol).unwrap_or(&vec![symbol.clone()]) {
            if !reader.wants(name) {
                continue;
            }
            if name.starts_with("__") && options.allow.is_none() && reader.is_private(cursor) {
                continue;
            }
            if name.starts_with('_') && options.allow.is_none() {
                reader.header.leave("a name that begins with `_`", name);
                continue;
            }
            let result = if cursor.kind() == kind::FUNCTION {
                reader.import(cursor, name)
            } else {
                reader.variable(cursor, name)
            };
            if let Err(reason) = result {
                reader.header.leave(&reason, name);
            }
        }
        reader.fields();
    }
    reader.macros(unit, &cursors, values);
    reader.use_what_is_needed();
    let [attributes, params] = reader.fitting;
    let vain = |rules: &'a [Rule], fitting: HashSet<usize>| {
        rules.iter().enumerate().filter(move |(i, _)| !fitting.contains(i)).map(|(_, rule)| rule)
    };
    let vain = vain(&options.attributes, attributes).chain(vain(&options.params, params)).collect();
    (reader.header, vain)
}

impl<'a> Reader<'a> {
    /// Does it stand in a header that is bound?
    fn is_bound(&self, cursor: Cursor<'a>) -> bool {
        cursor.file().is_some_and(|file| self.belong.has(&file))
    }

    /// Does it stand in a private part of the C library?
    fn is_private(&self, cursor: Cursor<'a>) -> bool {
        cursor.file().is_some_and(|file| self.belong.is_private(&file))
    }

    /// Is it a type that the C library has for itself? It is bound where something else needs it.
    fn is_hidden(&self, cursor: Cursor<'a>) -> bool {
        let name = self.aliases.get(&cursor.identity()).cloned().unwrap_or_else(|| cursor.name());
        name.starts_with("__") && self.options.allow.is_none() && self.is_private(cursor)
    }

    fn wants(&self, name: &str) -> bool {
        self.options.allow.as_ref().is_none_or(|pattern| pattern.is_match(name))
    }

    fn has_alias(&self, cursor: Cursor<'a>) -> bool {
        self.aliases.contains_key(&cursor.identity())
    }

    /// `#define mpz_add __gmpz_add`: the names by which functions are known.
    fn renamed(&self, unit: &Unit, cursors: &[Cursor<'a>]) -> HashMap<String, Vec<String>> {
        let functions: HashSet<String> =
            cursors.iter().filter(|cursor| cursor.kind() == kind::FUNCTION).map(|cursor| cursor.name()).collect();
        let mut names: HashMap<String, Vec<String>> = HashMap::new();
        for cursor in cursors.iter().filter(|cursor| cursor.kind() == kind::MACRO && !cursor.has_parameters()) {
            if let [_, symbol] = &unit.tokens(*cursor)[..]
                && functions.contains(symbol)
                && *symbol != cursor.name()
            {
                names.entry(symbol.clone()).or_default().push(cursor.name());
            }
        }
        names
    }

    // -- types

    fn ty(&mut self, ty: CType<'a>, place: Place, hint: &str) -> Result<Type, String> {
        let canonical = ty.canonical();
        let bits = || canonical.size().map_or(0, |bytes| 8 * bytes as u32);
        Ok(match canonical.kind() {
            types::VOID => Type::Void,
            types::BOOL => Type::Bool,
            types::CHAR_S | types::CHAR_U => Type::Char,
            types::SCHAR | types::SHORT | types::INT | types::LONG | types::LONGLONG => Type::Int(bits()),
            types::WCHAR => Type::Int(bits()),
            types::UCHAR | types::USHORT | types::UINT | types::ULONG | types::ULONGLONG => Type::Word(bits()),
            types::CHAR16 | types::CHAR32 => Type::Word(bits()),
            types::FLOAT => Type::Real32,
            types::DOUBLE => Type::Real,
            types::ENUM if is_wide(canonical.declaration()) || is_small(canonical.declaration()) => Type::Word(bits()),
            types::ENUM => Type::Int(bits()),
            types::RECORD => {
                let declaration = canonical.declaration();
                if canonical.size().is_none() || declaration.definition().is_none() {
                    return Err(format!("`{}` is not complete", ty.text()));
                }
                let declaration = declaration.definition().unwrap_or(declaration);
                Type::Record(self.record(declaration, hint))
            }
            types::POINTER => self.pointer(ty, canonical, place, hint),
            types::ARRAY | types::OPEN_ARRAY if place == Place::Field => {
                let element = self.ty(canonical.element(), Place::Field, hint).unwrap_or(Type::Pointer);
                Type::Array(Box::new(element))
            }
            // The address of the first element.
            types::ARRAY | types::OPEN_ARRAY => self.address_of(canonical.element(), hint),
            _ => return Err(format!("there is no type for `{}` of C", ty.text())),
        })
    }

    fn pointer(&mut self, ty: CType<'a>, canonical: CType<'a>, place: Place, hint: &str) -> Type {
        let to = canonical.pointee();
        match to.kind() {
            types::FUNCTION | types::FUNCTION_WITHOUT_TYPES => self.function_pointer(ty, hint),
            types::CHAR_S | types::CHAR_U if place == Place::Parameter && to.is_const() => Type::Text,
            _ => self.address_of(to, hint),
        }
    }

    fn address_of(&mut self, to: CType<'a>, hint: &str) -> Type {
        if to.kind() != types::RECORD {
            return Type::Pointer;
        }
        let declaration = to.declaration();
        let definition = declaration.definition().unwrap_or(declaration);
        let known = self.records.contains_key(&declaration.identity());
        if known || self.is_bound(definition) || self.has_alias(declaration) {
            Type::To(self.record(definition, hint))
        } else {
            Type::Pointer
        }
    }

    /// A type of functions, with the name of its `typedef`, or what a parameter is called.
    fn function_pointer(&mut self, ty: CType<'a>, hint: &str) -> Type {
        let canonical = ty.canonical();
        let function = match canonical.kind() {
            types::POINTER => canonical.pointee(),
            types::FUNCTION => canonical,
            _ => return Type::Pointer,
        };
        if ![types::FUNCTION].contains(&function.kind()) {
            return Type::Pointer;
        }
        let declaration = ty.declaration();
        let named = declaration.kind() == kind::TYPEDEF;
        let name = if named { declaration.name() } else { hint.to_string() };
        let key = if named { format!("typedef {name}") } else { format!("{hint} {}", canonical.text()) };
        if let Some(&number) = self.callbacks.get(&key) {
            return Type::Function(number);
        }
        if name.is_empty() || function.is_variadic() {
            return Type::Pointer;
        }
        let mut signature = || {
            let params = function.parameters();
            let params = params
                .into_iter()
                .enumerate()
                .map(|(i, ty)| self.in_callback(ty, &format!("{name}_{}", i + 1), false))
                .collect::<Result<Vec<_>, _>>()?;
            let result = self.in_callback(function.result(), &format!("{name}_result"), true)?;
            Ok::<_, String>(Signature { params, result })
        };
        let Ok(signature) = signature() else { return Type::Pointer };
        let number = self.header.functions.len();
        let name = self.types.take(&name);
        let doc = if named { comment(&declaration.comment()) } else { String::new() };
        let c = canonical.text();
        self.header.functions.push(Function { name, signature, c, doc, used: false });
        self.callbacks.insert(key, number);
        Type::Function(number)
    }

    fn in_callback(&mut self, ty: CType<'a>, hint: &str, result: bool) -> Result<Type, String> {
        if is_list_of_arguments(ty) {
            return Err(String::new());
        }
        match self.ty(ty, Place::Callback, hint)? {
            Type::Void if !result => Err(String::new()),
            ty => Ok(ty),
        }
    }

    /// The number of a structure or union; its fields are read later, since they may speak of it.
    fn record(&mut self, cursor: Cursor<'a>, hint: &str) -> usize {
        let cursor = cursor.definition().unwrap_or(cursor);
        let identity = cursor.identity();
        if let Some(&number) = self.records.get(&identity) {
            return number;
        }
        let alias = self.aliases.get(&identity).cloned();
        let union = cursor.kind() == kind::UNION;
        let tag = (!cursor.is_anonymous()).then(|| cursor.name());
        let name = alias.clone().or_else(|| tag.clone()).unwrap_or_else(|| hint.to_string());
        let c = alias.or_else(|| tag.map(|tag| format!("{} {tag}", if union { "union" } else { "struct" })));
        let complete = cursor.definition().is_some();
        let number = self.header.records.len();
        self.header.records.push(Record {
            name: self.types.take(&name),
            c,
            union,
            size: if complete { cursor.ty().size() } else { None },
            alignment: if complete { cursor.ty().alignment().unwrap_or(1) } else { 1 },
            fields: Vec::new(),
            whole: complete,
            doc: comment(&cursor.comment()),
            used: false,
        });
        self.records.insert(identity, number);
        if complete {
            self.waiting.push((number, cursor));
        }
        number
    }

    /// Reads the fields of what waits.
    fn fields(&mut self) {
        while let Some((number, cursor)) = self.waiting.pop() {
            let mut names = Names::default();
            let name = self.header.records[number].name.clone();
            self.fields_of(number, cursor.ty(), cursor, &name, &mut names);
        }
    }

    /// Of the whole, or of a part of it that has no name.
    fn fields_of(&mut self, number: usize, whole: CType<'a>, part: Cursor<'a>, record: &str, names: &mut Names) {
        let is_constant = self.constant.contains(&whole.declaration().identity());
        for child in part.children() {
            if child.kind() != kind::FIELD {
                // `union { .. };`: its fields are the whole's.
                let inner = [kind::STRUCT, kind::UNION].contains(&child.kind()) && child.is_anonymous();
                if inner && !is_named_field(part, child) {
                    self.fields_of(number, whole, child, record, names);
                }
                continue;
            }
            let c_name = child.name();
            if c_name.is_empty() {
                self.header.records[number].whole = false;
                continue;
            }
            let declaration = declarator(&child.ty().text(), Some(&c_name));
            let hint = format!("{record}_{c_name}");
            let Some(offset) = whole.offset_of(&c_name) else {
                self.header.records[number].whole = false;
                continue;
            };
            let bits = child.is_bit_field();
            match self.ty(child.ty(), Place::Field, &hint) {
                Ok(ty) if !bits || self.header.records[number].c.is_some() => {
                    let field = Field {
                        name: names.take(&c_name),
                        path: c_name,
                        offset: offset / 8,
                        bits,
                        constant: is_constant || child.ty().is_const(),
                        c: declaration,
                        c_type: in_c(child.ty().text(), &ty),
                        ty,
                        doc: comment(&child.comment()),
                    };
                    self.header.records[number].fields.push(field);
                }
                Ok(_) => {
                    self.header.records[number].whole = false;
                    self.header.leave("a bit field of a structure without a name", &hint);
                }
                Err(reason) => {
                    self.header.records[number].whole = false;
                    self.header.leave(&reason, &hint);
                }
            }
        }
    }

    // -- declarations

    fn enumeration(&mut self, cursor: Cursor<'a>) {
        let wide = is_wide(cursor).then(|| cursor.enum_type().size().unwrap_or(8));
        let mut constants = Vec::new();
        for child in cursor.children().into_iter().filter(|child| child.kind() == kind::ENUM_CONSTANT) {
            let name = child.name();
            if !self.wants(&name) {
                continue;
            }
            let value = child.enum_value();
            let value = match wide {
                Some(4) => Value::Word(value as u32 as u64),
                Some(_) => Value::Word(value as u64),
                None => Value::Int(value),
            };
            let doc = comment(&child.comment());
            constants.push(Constant { name: self.values.take(&name), value: Constants::Value(value), doc });
        }
        if constants.is_empty() {
            return;
        }
        let tag = (!cursor.is_anonymous()).then(|| format!("enum {}", cursor.name()));
        let c = self.aliases.get(&cursor.identity()).cloned().or(tag).unwrap_or_default();
        self.header.enumerations.push(Enumeration { c, constants, doc: comment(&cursor.comment()) });
    }

    fn import(&mut self, cursor: Cursor<'a>, name: &str) -> Result<(), String> {
        let symbol = cursor.name();
        let ty = cursor.ty();
        if cursor.storage() == storage::STATIC && !cursor.is_inline() {
            return Err("a `static` function that is not `inline`".to_string());
        }
        let mut glue = cursor.is_inline() && cursor.storage() != storage::EXTERN;
        let (mut params, mut c_types, mut written) = (Vec::new(), Vec::new(), Vec::new());
        let declared = cursor.parameters();
        let canonical = ty.canonical();
        let mut called = Vec::new();
        for (i, of) in ty.parameters().into_iter().enumerate() {
            let param = declared.get(i).map(|param| param.name()).filter(|name| !name.is_empty());
            let text = declared.get(i).map_or_else(|| of.text(), |param| param.ty().text());
            written.push(declarator(&text, param.as_deref()));
            if is_list_of_arguments(of) {
                return Err("a list of arguments (`va_list`)".to_string());
            }
            let param = param.unwrap_or_else(|| format!("{}", i + 1));
            let ty = self.ty(of, Place::Parameter, &format!("{name}_{param}"))?;
            if let Type::Function(number) = ty {
                called.push(number);
            }
            let path = format!("{name}.{param}");
            let ty = self.said(ty, of, &path)?;
            c_types.push(in_c(of.text(), &ty));
            params.push(ty);
        }
        let of_result = ty.result();
        let result = self.ty(of_result, Place::Result, "")?;
        self.fields();
        glue |= params
            .iter()
            .chain([&result])
            .any(|ty| matches!(ty, Type::Record(number) if !self.header.is_tuple(*number)));
        c_types.push(in_c(of_result.text(), &result));
        if glue
            && params
                .iter()
                .chain([&result])
                .any(|ty| matches!(ty, Type::Record(number) if self.header.records[*number].c.is_none()))
        {
            return Err("a structure without a name".to_string());
        }
        let variadic = canonical.kind() == types::FUNCTION && canonical.is_variadic();
        let mut attributes: Vec<String> = Vec::new();
        let rules = self.options.attributes.iter().enumerate();
        self.fitting[0].extend(rules.filter(|(_, rule)| rule.pattern.is_match(name)).map(|(i, _)| i));
        match self.options.attributes.iter().rev().find(|rule| rule.pattern.is_match(name)) {
            Some(rule) => attributes.extend(rule.value.split_ascii_whitespace().map(str::to_string)),
            None if called.iter().any(|&number| self.header.is_callback(number)) => {
                attributes.push("reentrant".to_string())
            }
            None => {}
        }
        if variadic {
            written.push("...".to_string());
            // These stand alone; a rule for many functions may fit one with `...`.
            attributes.retain(|word| word != "leaf" && word != "pure");
            if !glue && !attributes.iter().any(|word| word == "variadic") {
                attributes.push("variadic".to_string());
            }
        }
        if written.is_empty() {
            written.push("void".to_string());
        }
        let prototype = format!("{} ({})", declarator(&ty.result().text(), Some(name)), written.join(", "));
        let doc = comment(&cursor.comment());
        let name = self.values.take(name);
        let signature = Signature { params, result };
        self.header.imports.push(Import { name, symbol, signature, c_types, attributes, glue, prototype, doc });
        Ok(())
    }

    /// What `--param` says of a parameter, else what it is.
    fn said(&mut self, ty: Type, of: CType<'a>, path: &str) -> Result<Type, String> {
        let rules = self.options.params.iter().enumerate();
        self.fitting[1].extend(rules.filter(|(_, rule)| rule.pattern.is_match(path)).map(|(i, _)| i));
        let Some(Rule { value, .. }) = self.options.params.iter().rev().find(|rule| rule.pattern.is_match(path)) else {
            return Ok(ty);
        };
        let canonical = of.canonical();
        let to = match canonical.kind() {
            types::POINTER => canonical.pointee(),
            // `int fds[2]`
            types::ARRAY | types::OPEN_ARRAY => canonical.element(),
            _ => return Err(format!("`--param` says `{value}` of a parameter that is no address")),
        };
        // Bytes, where C does not say what they are.
        let element = if to.kind() == types::VOID { Type::Word(8) } else { self.ty(to, Place::Field, "")? };
        Ok(match &**value {
            "pointer" if matches!(ty, Type::Text) => Type::Pointer,
            "pointer" => ty,
            "string" => Type::Text,
            "ref" if !matches!(element, Type::Bool | Type::Record(_) | Type::Array(_)) => Type::Ref(Box::new(element)),
            "vector" | "array" if !matches!(element, Type::Bool | Type::Record(_) | Type::Array(_)) => {
                Type::Elements { of: Box::new(element), change: value == "array" }
            }
            _ => return Err(format!("`--param` says `{value}`, which `{}` cannot be", of.text())),
        })
    }

    fn variable(&mut self, cursor: Cursor<'a>, name: &str) -> Result<(), String> {
        if cursor.storage() == storage::STATIC {
            return Err("a `static` variable".to_string());
        }
        if cursor.is_of_thread() {
            return Err("a variable of which each thread has its own".to_string());
        }
        let ty = self.ty(cursor.ty(), Place::Field, name)?;
        self.header.variables.push(Variable {
            name: self.values.take_variable(name),
            symbol: cursor.name(),
            constant: cursor.ty().is_const(),
            ty,
            c: declarator(&cursor.ty().text(), Some(name)),
            doc: comment(&cursor.comment()),
        });
        Ok(())
    }

    fn macros(
        &mut self,
        unit: &Unit,
        cursors: &[Cursor<'a>],
        values: impl FnOnce(&[String]) -> Vec<Option<Result<Constants, &'static str>>>,
    ) {
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        for cursor in cursors.iter().filter(|cursor| cursor.kind() == kind::MACRO && !cursor.is_builtin()) {
            let name = cursor.name();
            if !self.wants(&name) || name.starts_with('_') || !seen.insert(name.clone()) {
                continue;
            }
            // It stands for the function, which is bound.
            if cursor.has_parameters() && self.header.imports.iter().any(|import| import.symbol == name) {
                continue;
            }
            if cursor.has_parameters() {
                self.header.leave("a macro with parameters", &name);
                continue;
            }
            let tokens = unit.tokens(*cursor);
            if tokens.len() > 1 && is_balanced(&tokens[1..]) {
                names.push(name);
            }
        }
        for (name, value) in names.iter().zip(values(&names)) {
            match value {
                Some(Ok(value)) => {
                    let constant = Constant { name: self.values.take(name), value, doc: String::new() };
                    self.header.constants.push(constant);
                }
                Some(Err(reason)) => self.header.leave(reason, name),
                None => {}
            }
        }
    }

    /// What is in the output needs the records and functions that it speaks of.
    fn use_what_is_needed(&mut self) {
        self.header.without_callbacks_of_addresses();
        let header = &mut self.header;
        let mut wanted: Vec<Type> = Vec::new();
        for import in &header.imports {
            wanted.extend(import.signature.params.iter().chain([&import.signature.result]).cloned());
        }
        wanted.extend(header.variables.iter().map(|variable| variable.ty.clone()));
        let mut done = (vec![false; header.records.len()], vec![false; header.functions.len()]);
        wanted.extend((0..header.records.len()).filter(|&i| header.records[i].used).map(Type::To));
        wanted.extend((0..header.functions.len()).filter(|&i| header.functions[i].used).map(Type::Function));
        while let Some(ty) = wanted.pop() {
            match ty {
                Type::To(i) | Type::Record(i) if !std::mem::replace(&mut done.0[i], true) => {
                    header.records[i].used = true;
                    wanted.extend(header.records[i].fields.iter().map(|field| field.ty.clone()));
                }
                Type::Function(i) if !std::mem::replace(&mut done.1[i], true) => {
                    let Function { signature, used, .. } = &mut header.functions[i];
                    *used = true;
                    wanted.extend(signature.params.iter().chain([&signature.result]).cloned());
                }
                Type::Ref(of) | Type::Array(of) | Type::Elements { of, .. } => wanted.push(*of),
                _ => {}
            }
        }
    }
}

/// An enumeration with a value that needs all 32 bits.
fn is_wide(cursor: Cursor<'_>) -> bool {
    let values = cursor.children().into_iter().filter(|child| child.kind() == kind::ENUM_CONSTANT);
    let unsigned = [types::UINT, types::ULONG, types::ULONGLONG].contains(&cursor.enum_type().canonical().kind());
    unsigned && values.into_iter().any(|child| !(0..=i64::from(i32::MAX)).contains(&child.enum_value()))
}

/// An enumeration that is packed into a byte or two, without a negative value.
fn is_small(cursor: Cursor<'_>) -> bool {
    [types::UCHAR, types::USHORT].contains(&cursor.enum_type().canonical().kind())
}

fn is_list_of_arguments(ty: CType<'_>) -> bool {
    ty.text().contains("va_list")
}

/// Is the part the type of a field of its own (`union { .. } u;`)?
fn is_named_field(whole: Cursor<'_>, part: Cursor<'_>) -> bool {
    let identity = part.identity();
    whole.children().into_iter().filter(|field| field.kind() == kind::FIELD && !field.name().is_empty()).any(|field| {
        let mut ty = field.ty().canonical();
        while [types::ARRAY, types::OPEN_ARRAY].contains(&ty.kind()) {
            ty = ty.element();
        }
        if ty.kind() == types::POINTER {
            ty = ty.pointee();
        }
        ty.declaration().identity() == identity
    })
}

/// A type's text before and behind the place that libclang writes for a name.
fn around_place(text: &str) -> Option<(&str, &str)> {
    text.split_once("(unnamed").or_else(|| text.split_once("(anonymous"))
}

/// A type as C writes it, which SML has as `ty`. One without a name cannot be written: an enumeration is its integer.
fn in_c(text: String, ty: &Type) -> String {
    match ty {
        _ if around_place(&text).is_none() => text,
        Type::Int(bits) => format!("__INT{bits}_TYPE__"),
        Type::Word(bits) => format!("__UINT{bits}_TYPE__"),
        _ if ty.scalar_size() == Some(8) || matches!(ty, Type::Ref(_) | Type::Elements { .. }) => "void *".to_string(),
        _ => text,
    }
}

/// `union (unnamed union at /usr/include/a.h:3:5)` -> `union { .. }`
fn without_places(text: &str) -> String {
    let Some((before, rest)) = around_place(text) else {
        return text.to_string();
    };
    let behind = rest.split_once(')').map_or("", |parts| parts.1);
    format!("{before}{{ .. }}{}", without_places(behind))
}

/// `char *` and `p` -> `char *p`.
fn declarator(ty: &str, name: Option<&str>) -> String {
    let ty = &*without_places(ty);
    let Some(name) = name else { return ty.to_string() };
    for open in ["(*", "(^"] {
        if let Some((before, behind)) = ty.split_once(open) {
            return format!("{before}{open}{name}{behind}");
        }
    }
    if let Some((before, behind)) = ty.split_once('[') {
        return format!("{} {name}[{behind}", before.trim_end());
    }
    if ty.ends_with('*') { format!("{ty}{name}") } else { format!("{ty} {name}") }
}

fn is_balanced(tokens: &[String]) -> bool {
    let mut depth = 0;
    for token in tokens {
        match &**token {
            "(" | "[" => depth += 1,
            ")" | "]" => depth -= 1,
            "{" | "}" | ";" => return false,
            // Several values.
            "," if depth == 0 => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}
