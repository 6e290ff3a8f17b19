//! What a header declares -> SML: the signature, which a reader reads, the structure, which nobody has to, and the
//! description.

use std::fmt::Write as _;

use crate::glue;
use crate::model::*;

pub struct Printed {
    pub signature: String,
    pub structure: String,
    pub description: String,
}

/// `stem`: what the files are called; `named`: the header as it was named; `glue`: there is a file of C.
pub fn print(header: &Header, stem: &str, structure: &str, named: &str, glue: bool) -> Printed {
    let printer = Printer { header, stem };
    let name = structure.to_uppercase();
    let signature = printer.signature(&name, named);
    let body = printer.structure();
    let with_c = if glue { format!(" Needs {stem}_glue.c on the command line.") } else { String::new() };
    Printed {
        signature,
        structure: format!(
            "(* Made of {named} by `leat bindgen`. *)\nstructure {structure} :> {name} =\nstruct\n{body}end\n"
        ),
        description: format!(
            "(* {stem}.mlb: {named}, made by `leat bindgen`.{with_c} *)\n\n\
             local\n  $(SML_LIB)/basis/basis.mlb\n  $(SML_LIB)/basis/mlton.mlb\n  $(SML_LIB)/leat/foreign.mlb\n  {stem}.sig\n  \
             ann \"allowFFI true\" \"foreignInt 32\" in {stem}.sml end\nin\n  signature {name}\n  structure {structure}\nend\n"
        ),
    }
}

struct Printer<'a> {
    header: &'a Header,
    stem: &'a str,
}

/// Who reads a type.
#[derive(Clone, Copy, PartialEq)]
enum Reader {
    /// A program: addresses have types of their own.
    Program,
    /// `_import`
    Import,
}

impl Printer<'_> {
    fn used_records(&self) -> impl Iterator<Item = &Record> {
        self.header.records.iter().filter(|record| record.used)
    }

    fn used_functions(&self) -> impl Iterator<Item = &Function> {
        self.header.functions.iter().filter(|function| function.used)
    }

    // -- types

    fn ty(&self, ty: &Type, reader: Reader) -> String {
        let address = |name: &str| match reader {
            Reader::Program => name.to_string(),
            Reader::Import => "P.t".to_string(),
        };
        match ty {
            Type::Void => "unit".to_string(),
            Type::Bool if reader == Reader::Import => "Word8.word".to_string(),
            Type::Bool => "bool".to_string(),
            Type::Char => "char".to_string(),
            Type::Int(32) => "int".to_string(),
            Type::Int(bits) => format!("Int{bits}.int"),
            Type::Word(32) => "word".to_string(),
            Type::Word(bits) => format!("Word{bits}.word"),
            Type::Real32 => "Real32.real".to_string(),
            Type::Real => "real".to_string(),
            Type::Pointer | Type::Array(_) => address("MLton.Pointer.t"),
            Type::To(number) | Type::Record(number) => address(&self.header.records[*number].name),
            Type::Function(number) => address(&self.header.functions[*number].name),
            Type::Text => "string".to_string(),
            Type::Ref(of) => format!("{} ref", self.ty(of, reader)),
            Type::Elements { of, change } => match (&**of, change) {
                (Type::Word(8), false) => "Word8Vector.vector".to_string(),
                (Type::Word(8), true) => "Word8Array.array".to_string(),
                (Type::Char, false) => "CharVector.vector".to_string(),
                (Type::Char, true) => "CharArray.array".to_string(),
                (of, change) => {
                    let of = match of {
                        Type::Int(bits) => format!("Int{bits}.int"),
                        Type::Word(bits) => format!("Word{bits}.word"),
                        other => self.ty(other, reader),
                    };
                    format!("{of} {}", if *change { "array" } else { "vector" })
                }
            },
        }
    }

    fn params(&self, params: &[Type], reader: Reader) -> String {
        if params.is_empty() {
            return "unit".to_string();
        }
        params.iter().map(|ty| self.ty(ty, reader)).collect::<Vec<_>>().join(" * ")
    }

    fn function_type(&self, signature: &Signature, reader: Reader) -> String {
        format!("{} -> {}", self.params(&signature.params, reader), self.ty(&signature.result, reader))
    }

    // -- the signature

    fn signature(&self, name: &str, named: &str) -> String {
        let mut out = format!("(* Made of {named} by `leat bindgen`. *)\nsignature {name} =\nsig\n");
        let names: Vec<&str> = self
            .used_records()
            .map(|record| record.name.as_str())
            .chain(self.used_functions().map(|function| function.name.as_str()))
            .collect();
        if !names.is_empty() {
            out.push_str("(* -- addresses of structures, unions and functions *)\n\n");
            for name in names {
                let _ = writeln!(out, "eqtype {name}");
            }
        }
        for enumeration in &self.header.enumerations {
            let what = if enumeration.c.is_empty() { "an enumeration" } else { &enumeration.c };
            let _ = write!(out, "\n(* -- {what} *)\n\n{}", comment(&enumeration.doc, ""));
            self.constants(&mut out, &enumeration.constants);
        }
        if !self.header.constants.is_empty() {
            out.push_str("\n(* -- macros *)\n\n");
            self.constants(&mut out, &self.header.constants);
        }
        if self.used_records().next().is_some() {
            out.push_str("\n(* -- structures and unions *)\n");
        }
        for record in self.used_records() {
            self.record_signature(&mut out, record);
        }
        if self.used_functions().next().is_some() {
            out.push_str("\n(* -- functions that C calls by their addresses *)\n");
        }
        for function in self.used_functions() {
            self.function_signature(&mut out, function);
        }
        if !self.header.variables.is_empty() {
            out.push_str("\n(* -- variables *)\n\n");
        }
        for variable in &self.header.variables {
            let doc = comment(&variable.doc, &variable.c);
            let (name, ty) = (&variable.name, self.ty(&variable.ty, Reader::Program));
            if is_scalar(&variable.ty) {
                let _ = write!(out, "val get_{name} : unit -> {ty}\n{doc}");
                if !variable.constant {
                    let _ = writeln!(out, "val set_{name} : {ty} -> unit");
                }
            } else {
                let _ = write!(out, "val at_{name} : {ty}\n{doc}");
            }
        }
        if !self.header.imports.is_empty() {
            out.push_str("\n(* -- functions *)\n\n");
        }
        for import in &self.header.imports {
            let mut ty = self.function_type(&import.signature, Reader::Program);
            if import.attributes.iter().any(|word| word == "errno") {
                ty = format!(
                    "{} -> {} * int",
                    self.params(&import.signature.params, Reader::Program),
                    self.ty(&import.signature.result, Reader::Program)
                );
            }
            let mut doc = import.doc.clone();
            if let Type::Record(number) = import.signature.result {
                let name = &self.header.records[number].name;
                let _ = write!(
                    doc,
                    "{}The result is in memory of its own: {name}.free ends it.",
                    if doc.is_empty() { "" } else { "\n" }
                );
            }
            let _ = write!(out, "val {} : {ty}\n{}", import.name, comment(&doc, &import.prototype));
        }
        out.push_str("end\n");
        if !self.header.left.is_empty() {
            out.push_str("\n(* Not bound:\n");
            for (reason, names) in &self.header.left {
                let reason = inside_a_comment(reason);
                let _ = writeln!(out, "\n   {reason}:\n{}", wrapped(names));
            }
            out.push_str("*)\n");
        }
        out
    }

    fn constants(&self, out: &mut String, constants: &[Constant]) {
        for constant in constants {
            let (ty, text) = match &constant.value {
                Constants::Value(Value::Int(n)) => ("int", n.to_string()),
                Constants::Value(Value::Word(n)) => ("word", format!("0x{n:x}")),
                Constants::Value(Value::Real(x)) => ("real", format!("{x:?}")),
                Constants::Value(Value::Text(_)) => ("string", String::new()),
                Constants::Pointer(n) => ("MLton.Pointer.t", format!("0x{n:x}")),
            };
            let text = if text.is_empty() { text } else { format!(" (* {text} *)") };
            let _ = write!(out, "val {} : {ty}{text}\n{}", constant.name, comment(&constant.doc, ""));
        }
    }

    fn record_signature(&self, out: &mut String, record: &Record) {
        let name = &record.name;
        let what = record.c.clone().unwrap_or_else(|| if record.union { "a union" } else { "a structure" }.to_string());
        let _ = write!(out, "\nstructure {name} :\nsig\n{}", comment(&record.doc, &what));
        let _ = write!(
            out,
            "val null : {name}\nval ofPointer : MLton.Pointer.t -> {name}\nval toPointer : {name} -> MLton.Pointer.t\n"
        );
        if record.size.is_some() {
            let _ = write!(
                out,
                "val size : int\n(* in bytes *)\nval alloc : unit -> {name}\n(* Memory of C, all 0, until it is freed. Raises Fail \
                 if there is none. *)\nval free : {name} -> unit\nval nth : {name} * int -> {name}\n(* The element of an array of \
                 them that begins there. *)\n"
            );
        }
        for field in &record.fields {
            let ty = self.ty(&field.ty, Reader::Program);
            let doc = comment(&field.doc, &field.c);
            if is_scalar(&field.ty) {
                let _ = write!(out, "val get_{} : {name} -> {ty}\n{doc}", field.name);
                if !field.constant {
                    let _ = writeln!(out, "val set_{} : {name} * {ty} -> unit", field.name);
                }
            } else {
                let inner = element_record(&field.ty).map(|number| self.header.records[number].name.clone());
                let _ = write!(out, "val at_{} : {name} -> {}\n{doc}", field.name, inner.unwrap_or(ty));
            }
        }
        out.push_str("end\n");
    }

    fn function_signature(&self, out: &mut String, function: &Function) {
        let name = &function.name;
        let ty = self.function_type(&function.signature, Reader::Program);
        let doc = comment(&function.doc, &function.c);
        let is_record = |ty: &Type| matches!(ty, Type::Record(_));
        let given = function.signature.params.iter().any(is_record);
        let by_value = match (given, is_record(&function.signature.result)) {
            (false, false) => "",
            (true, false) => " A structure that it gets is there until it returns.",
            (false, true) => " C gets a copy of the structure that it gives.",
            (true, true) => {
                " A structure that it gets is there until it returns; C gets a copy of the one that it gives."
            }
        };
        let _ = write!(
            out,
            "\nstructure {name} :\nsig\n{doc}val null : {name}\nval ofPointer : MLton.Pointer.t -> {name}\n\
             val toPointer : {name} -> MLton.Pointer.t\nval make : ({ty}) -> {name}\n(* A function of SML, which C may call until it \
             is freed.{by_value} *)\nval free : {name} -> unit\n(* For those that `make` has made. *)\nval call : {name} -> {ty}\nend\n"
        );
    }

    // -- the structure

    fn structure(&self) -> String {
        let mut out = String::from(HEAD);
        out.push('\n');
        for name in
            self.used_records().map(|record| &record.name).chain(self.used_functions().map(|function| &function.name))
        {
            let _ = writeln!(out, "type {name} = P.t");
        }
        out.push('\n');
        let enumerated = self.header.enumerations.iter().flat_map(|enumeration| &enumeration.constants);
        for constant in enumerated.chain(&self.header.constants) {
            let value = match &constant.value {
                Constants::Value(value) => literal(value),
                Constants::Pointer(n) => format!("P.add (P.null, 0w{n})"),
            };
            let _ = writeln!(out, "val {} = {value}", constant.name);
        }
        for record in self.used_records() {
            self.record(&mut out, record);
        }
        for function in self.used_functions() {
            self.function(&mut out, function);
        }
        out.push('\n');
        for variable in &self.header.variables {
            let Variable { name, symbol, ty, .. } = variable;
            if is_scalar(ty) {
                let raw = self.ty(ty, Reader::Import);
                let (got, put) = (from_c(ty, "get ()"), to_c(ty, "x"));
                let _ = writeln!(
                    out,
                    "local val (get, set) = _symbol \"{symbol}\" : {raw}; in fun get_{name} () = {got} fun set_{name} x = set ({put}) end"
                );
            } else {
                let _ = writeln!(out, "val at_{name} = _address \"{symbol}\" : P.t;");
            }
        }
        out.push('\n');
        for import in &self.header.imports {
            self.import(&mut out, import);
        }
        out
    }

    fn record(&self, out: &mut String, record: &Record) {
        let _ = writeln!(out, "\nstructure {} =\nstruct", record.name);
        out.push_str("val null = P.null\nfun ofPointer p = p : P.t\nfun toPointer p = p : P.t\n");
        if let Some(size) = record.size {
            let alloc = match record.alignment {
                // As all memory of `calloc`.
                0..=16 => format!("Bits.alloc 0w{size}"),
                alignment => format!("Bits.allocAt (0w{alignment}, 0w{size})"),
            };
            let _ = write!(
                out,
                "val size = {size}\nfun alloc () = {alloc}\nval free = Bits.free\n\
                 fun nth (p, i) = P.add (p, Word.fromInt i * 0w{size})\n"
            );
        }
        for field in &record.fields {
            let name = &field.name;
            let at = place("p", field.offset);
            if !is_scalar(&field.ty) {
                let _ = writeln!(out, "fun at_{name} p = {at}");
            } else if field.bits {
                let raw = self.ty(&field.ty, Reader::Import);
                let of = format!("{}_{name}", record.name);
                let get = glue::symbol(self.stem, &format!("get_{of}"));
                let set = glue::symbol(self.stem, &format!("set_{of}"));
                let got = from_c(&field.ty, "get p");
                let _ = writeln!(
                    out,
                    "local val get = _import \"{get}\" leaf : P.t -> {raw}; in fun get_{name} p = {got} end"
                );
                if !field.constant {
                    let put = to_c(&field.ty, "x");
                    let _ = writeln!(
                        out,
                        "local val set = _import \"{set}\" leaf : P.t * {raw} -> unit; in fun set_{name} (p, x) = set (p, {put}) end"
                    );
                }
            } else {
                let (got, put) = in_memory(&field.ty, &at, "x");
                let _ = writeln!(out, "fun get_{name} p = {got}");
                if !field.constant {
                    let _ = writeln!(out, "fun set_{name} (p, x) = {put}");
                }
            }
        }
        out.push_str("end\n");
    }

    fn function(&self, out: &mut String, function: &Function) {
        let Function { name, signature, .. } = function;
        let _ = writeln!(out, "\nstructure {name} =\nstruct");
        out.push_str("val null = P.null\nfun ofPointer p = p : P.t\nfun toPointer p = p : P.t\n");
        let mut params: Vec<String> = signature.params.iter().map(|ty| self.raw_type(ty)).collect();
        let alone = lone_tuple(&mut params);
        let params = if params.is_empty() { "unit".to_string() } else { params.join(" * ") };
        let raw = format!("{params} -> {}", self.raw_type(&signature.result));
        let mut types = signature.params.iter().chain([&signature.result]);
        if types.any(|ty| matches!(ty, Type::Bool | Type::Record(_))) {
            let names = numbered(signature.params.len());
            let (pattern, made) = self.made(signature, &names, alone);
            let mut args: Vec<String> =
                names.iter().zip(&signature.params).map(|(name, ty)| self.given(ty, name)).collect();
            if alone {
                args.push("()".to_string());
            }
            let called = self.taken(&signature.result, &format!("calls p {}", tuple(&args)));
            let _ = write!(
                out,
                "local val makes = _export * : ({raw}) -> P.t; val calls = _import * reentrant : P.t -> {raw}; in\n\
                 fun make f = makes (fn {pattern} => {made})\nfun call p {} = {called} end\n",
                tuple(&names)
            );
        } else {
            let _ =
                write!(out, "val make = _export * : ({raw}) -> P.t;\nval call = _import * reentrant : P.t -> {raw};\n");
        }
        out.push_str("val free = Foreign.free\nend\n");
    }

    /// What C calls in place of the function `f`: a pattern of what C gives, and an expression. A structure by value is
    /// put into memory that is there while `f` is evaluated; of a result the content goes to C.
    fn made(&self, signature: &Signature, names: &[String], alone: bool) -> (String, String) {
        let (mut patterns, mut args) = (Vec::new(), Vec::new());
        let (mut allocs, mut writes, mut frees) = (Vec::new(), Vec::new(), Vec::new());
        for (name, ty) in names.iter().zip(&signature.params) {
            match ty {
                Type::Record(number) => {
                    let record = &self.header.records[*number].name;
                    patterns.push(self.write_tuple(*number, 0, (name, &format!("{name}_")), &mut writes));
                    allocs.push(format!("val {name} = {record}.alloc ()"));
                    frees.push(format!("{record}.free {name}"));
                    args.push(name.clone());
                }
                ty => {
                    patterns.push(name.clone());
                    args.push(from_c(ty, name));
                }
            }
        }
        if alone {
            patterns.push("()".to_string());
        }
        let call = format!("f {}", tuple(&args));
        let made = match (&frees[..], &signature.result) {
            ([], Type::Record(_)) => {
                format!("let val result = {call} in {} end", self.given(&signature.result, "result"))
            }
            ([], result) => to_c(result, &call),
            (frees, result) => format!(
                "let {} val () = ({}) fun over () = ({}) val result = {call} handle e => (over (); raise e) val given = {} \
                 in over (); given end",
                allocs.join(" "),
                writes.join("; "),
                frees.join("; "),
                self.given(result, "result")
            ),
        };
        (tuple(&patterns), made)
    }

    fn import(&self, out: &mut String, import: &Import) {
        // Nothing of C is called `calls'`.
        let Import { name, signature, attributes, .. } = import;
        let symbol = if import.glue { glue::symbol(self.stem, &import.symbol) } else { import.symbol.clone() };
        let attributes = attributes.iter().fold(String::new(), |text, word| text + word + " ");
        let errno = import.attributes.iter().any(|word| word == "errno");
        // By value they are tuples; a function between takes their addresses, and one for the result.
        let by_value = |ty: &Type| match ty {
            Type::Record(number) if !import.glue => Some(*number),
            _ => None,
        };
        let raw_type = |ty: &Type| match by_value(ty) {
            Some(_) => self.raw_type(ty),
            None => self.ty(ty, Reader::Import),
        };
        let mut params: Vec<String> = signature.params.iter().map(raw_type).collect();
        let gives_record = match signature.result {
            Type::Record(number) => Some((number, &self.header.records[number].name)),
            _ => None,
        };
        let by_address = gives_record.filter(|_| import.glue);
        if by_address.is_some() {
            params.push("P.t".to_string());
        }
        let alone = lone_tuple(&mut params);
        let params = if params.is_empty() { "unit".to_string() } else { params.join(" * ") };
        let result = if by_address.is_some() { "unit".to_string() } else { raw_type(&signature.result) };
        let result = if errno { format!("{result} * int") } else { result };
        let raw = format!("_import \"{symbol}\" {attributes}: {params} -> {result};");
        let converts =
            signature.params.iter().any(|ty| matches!(ty, Type::Bool | Type::Text) || by_value(ty).is_some())
                || signature.result == Type::Bool
                || gives_record.is_some();
        if !converts {
            let _ = writeln!(out, "val {name} = {raw}");
            return;
        }
        let names = numbered(signature.params.len());
        let given = |name: &String, ty: &Type| match by_value(ty) {
            Some(_) => self.given(ty, name),
            None => to_c(ty, name),
        };
        let mut args: Vec<String> = names.iter().zip(&signature.params).map(|(name, ty)| given(name, ty)).collect();
        if alone {
            args.push("()".to_string());
        }
        let body = match gives_record {
            Some((_, record)) if by_address.is_some() => {
                args.push("result".to_string());
                let call = format!("calls' {}", tuple(&args));
                if errno {
                    format!("let val result = {record}.alloc () val ((), error) = {call} in (result, error) end")
                } else {
                    format!("let val result = {record}.alloc () in {call}; result end")
                }
            }
            Some((number, record)) if errno => {
                let mut writes = Vec::new();
                let pattern = self.write_tuple(number, 0, ("result", "r"), &mut writes);
                let (call, writes) = (tuple(&args), writes.join("; "));
                format!(
                    "let val ({pattern}, error) = calls' {call} val result = {record}.alloc () in {writes}; (result, error) end"
                )
            }
            Some(_) => self.taken(&signature.result, &format!("calls' {}", tuple(&args))),
            None if errno => {
                let converted = from_c(&signature.result, "result");
                format!("let val (result, error) = calls' {} in ({converted}, error) end", tuple(&args))
            }
            None => from_c(&signature.result, &format!("calls' {}", tuple(&args))),
        };
        let _ = writeln!(out, "local val calls' = {raw} in fun {name} {} = {body} end", tuple(&names));
    }

    // -- structures by value

    /// What `_import` and `_export` have of a type.
    fn raw_type(&self, ty: &Type) -> String {
        match ty {
            Type::Record(number) => self.tuple_type(*number),
            ty => self.ty(ty, Reader::Import),
        }
    }

    /// A value of the program -> what C gets.
    fn given(&self, ty: &Type, value: &str) -> String {
        match ty {
            Type::Record(number) => self.read_tuple(*number, value, 0),
            ty => to_c(ty, value),
        }
    }

    /// What C gives -> a value of the program: a structure is put into new memory.
    fn taken(&self, ty: &Type, call: &str) -> String {
        let Type::Record(number) = ty else { return from_c(ty, call) };
        let (mut writes, record) = (Vec::new(), &self.header.records[*number].name);
        let pattern = self.write_tuple(*number, 0, ("result", "r"), &mut writes);
        format!("let val {pattern} = {call} val result = {record}.alloc () in {}; result end", writes.join("; "))
    }

    /// The type of a structure. One of a single field is in C what its field is.
    fn tuple_type(&self, number: usize) -> String {
        let of = |field: &Field| match field.ty {
            Type::Record(inner) => self.tuple_type(inner),
            _ => self.ty(&field.ty, Reader::Import),
        };
        let fields: Vec<String> = self.header.records[number].fields.iter().map(of).collect();
        if fields.len() == 1 { fields.concat() } else { format!("({})", fields.join(" * ")) }
    }

    /// What lies at an address, as such a tuple.
    fn read_tuple(&self, number: usize, at: &str, start: u64) -> String {
        let of = |field: &Field| match field.ty {
            Type::Record(inner) => self.read_tuple(inner, at, start + field.offset),
            _ => to_c(&field.ty, &in_memory(&field.ty, &place(at, start + field.offset), "x").0),
        };
        let fields: Vec<String> = self.header.records[number].fields.iter().map(of).collect();
        if fields.len() == 1 { fields.concat() } else { format!("({})", fields.join(", ")) }
    }

    /// A pattern of such a tuple, whose parts are called after the second name; and what writes them to memory at the
    /// first.
    fn write_tuple(&self, number: usize, start: u64, names: (&str, &str), writes: &mut Vec<String>) -> String {
        let mut patterns = Vec::new();
        for field in &self.header.records[number].fields {
            let offset = start + field.offset;
            patterns.push(match field.ty {
                Type::Record(inner) => self.write_tuple(inner, offset, names, writes),
                _ => {
                    let part = format!("{}{}", names.1, writes.len());
                    writes.push(in_memory(&field.ty, &place(names.0, offset), &from_c(&field.ty, &part)).1);
                    part
                }
            });
        }
        if patterns.len() == 1 { patterns.concat() } else { format!("({})", patterns.join(", ")) }
    }
}

/// A tuple alone is no structure, but the parameters: it gets a `unit` behind it.
fn lone_tuple(params: &mut Vec<String>) -> bool {
    let alone = matches!(&params[..], [param] if param.starts_with('('));
    if alone {
        params.push("unit".to_string());
    }
    alone
}

const HEAD: &str = "\
structure P = MLton.Pointer

structure Bits =
struct
  val calloc = _import \"calloc\" leaf : Word64.word * Word64.word -> P.t;
  val free = _import \"free\" leaf : P.t -> unit;
  fun alloc size =
    let
      val p = calloc (0w1, size)
    in
      if p = P.null then raise Fail \"there is no memory\" else p
    end
  val aligned = _import \"aligned_alloc\" leaf : Word64.word * Word64.word -> P.t;
  val fill = _import \"memset\" leaf : P.t * Int32.int * Word64.word -> P.t;
  fun allocAt (alignment, size) =
    let
      val p = aligned (alignment, size)
    in
      if p = P.null then raise Fail \"there is no memory\" else fill (p, 0, size)
    end
  fun word32 w = if w > 0wxffffffff then raise Overflow else Word32.fromLarge w
end
";

/// The address of a byte of what lies there.
fn place(at: &str, offset: u64) -> String {
    if offset == 0 { at.to_string() } else { format!("P.add ({at}, 0w{offset})") }
}

fn is_scalar(ty: &Type) -> bool {
    !matches!(ty, Type::Array(_) | Type::Record(_) | Type::Void)
}

/// The structure that stands in a field, or the first of several.
fn element_record(ty: &Type) -> Option<usize> {
    match ty {
        Type::Record(number) => Some(*number),
        Type::Array(of) => element_record(of),
        _ => None,
    }
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|i| format!("a{i}")).collect()
}

fn tuple(parts: &[String]) -> String {
    match parts {
        [part] if !part.contains(' ') => part.clone(),
        parts => format!("({})", parts.join(", ")),
    }
}

/// An expression of the program's type -> one of the type that `_import` says.
fn to_c(ty: &Type, exp: &str) -> String {
    match ty {
        Type::Bool => format!("if {exp} then 0w1 else 0w0"),
        Type::Text => format!("{exp} ^ \"\\000\""),
        _ => exp.to_string(),
    }
}

fn from_c(ty: &Type, exp: &str) -> String {
    if *ty == Type::Bool { format!("{exp} <> 0w0") } else { exp.to_string() }
}

/// How a field is read and written, at an address.
fn in_memory(ty: &Type, at: &str, value: &str) -> (String, String) {
    let (of, read, write) = match ty {
        Type::Bool => ("Word8", "% <> 0w0", "if x then 0w1 else 0w0"),
        Type::Char => ("Word8", "Byte.byteToChar (%)", "Byte.charToByte x"),
        Type::Int(32) => ("Int32", "Int32.toInt (%)", "Int32.fromInt x"),
        Type::Word(32) => ("Word32", "Word32.toLarge (%)", "Bits.word32 x"),
        Type::Int(8) => ("Int8", "%", "x"),
        Type::Int(16) => ("Int16", "%", "x"),
        Type::Int(_) => ("Int64", "%", "x"),
        Type::Word(8) => ("Word8", "%", "x"),
        Type::Word(16) => ("Word16", "%", "x"),
        Type::Word(_) => ("Word64", "%", "x"),
        Type::Real32 => ("Real32", "%", "x"),
        Type::Real => ("Real64", "%", "x"),
        _ => ("Pointer", "%", "x"),
    };
    let write = write.replace('x', value);
    (read.replace('%', &format!("P.get{of} ({at}, 0)")), format!("P.set{of} ({at}, 0, {write})"))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Int(n) => n.to_string().replace('-', "~"),
        Value::Word(n) => format!("0wx{n:x}"),
        Value::Real(x) => format!("{x:?}").replace('-', "~").replace('e', "E"),
        Value::Text(bytes) => {
            let mut text = String::from("\"");
            for &byte in bytes {
                match byte {
                    b'"' | b'\\' => text.extend(['\\', byte as char]),
                    b' '..=b'~' => text.push(byte as char),
                    _ => {
                        let _ = write!(text, "\\{byte:03}");
                    }
                }
            }
            text + "\""
        }
    }
}

/// A text of C that neither begins nor ends a comment of SML.
fn inside_a_comment(text: &str) -> String {
    text.replace("(*", "( *").replace("*)", "* )")
}

/// A comment of what is documented, and how C writes it.
fn comment(doc: &str, c: &str) -> String {
    let c = inside_a_comment(c);
    let lines: Vec<&str> = doc.lines().chain((!c.is_empty()).then_some(c.as_str())).collect();
    if lines.is_empty() { String::new() } else { format!("(* {} *)\n", lines.join("\n   ")) }
}

/// Names in lines.
fn wrapped(names: &[String]) -> String {
    let mut lines = vec![String::from("    ")];
    for name in names {
        let last = lines.last_mut().expect("there is one");
        if last.len() + name.len() > 110 {
            lines.push(format!("     {name}"));
        } else {
            let _ = write!(last, " {name}");
        }
    }
    lines.join("\n")
}
