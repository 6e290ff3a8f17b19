//! What no library has by a symbol, or `_import` not by its type, as functions of C between: those that are `inline`,
//! those that take or give unions and structures that are no tuples of scalars, and fields that have bits of a word
//! only.

use std::collections::HashSet;
use std::fmt::Write as _;

use crate::model::{Header, Import, Type};

/// The symbol of a function between.
pub fn symbol(stem: &str, name: &str) -> String {
    let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("leat_{stem}_{name}")
}

/// The file; None where nothing is needed.
pub fn glue(header: &Header, stem: &str, include: &str) -> Option<String> {
    let mut text = String::new();
    let mut made = HashSet::new();
    // One function may have several names.
    for import in header.imports.iter().filter(|import| import.glue && made.insert(&import.symbol)) {
        let _ = writeln!(text, "\n{}", function(header, stem, import));
    }
    for record in header.records.iter().filter(|record| record.used) {
        let Some(c) = &record.c else { continue };
        for field in record.fields.iter().filter(|field| field.bits) {
            let path = &field.path;
            let of = format!("__typeof__({})", field.c_type);
            let name = format!("{}_{}", record.name, field.name);
            let get = symbol(stem, &format!("get_{name}"));
            let _ = writeln!(text, "\n{of} {get}({c} *record) {{ return record->{path}; }}");
            if field.constant {
                continue;
            }
            let set = symbol(stem, &format!("set_{name}"));
            let _ = writeln!(text, "\nvoid {set}({c} *record, {of} value) {{ record->{path} = value; }}");
        }
    }
    let head = "/* Made by `leat bindgen`: functions of C that SML calls in place of those that no library has by a symbol. */";
    (!text.is_empty()).then(|| format!("{head}\n#include {include}\n{text}"))
}

/// Structures go by their addresses.
fn function(header: &Header, stem: &str, import: &Import) -> String {
    let mut params = Vec::new();
    let mut args = Vec::new();
    for (i, (ty, c)) in import.signature.params.iter().zip(&import.c_types).enumerate() {
        if let Type::Record(_) = ty {
            params.push(format!("const __typeof__({c}) *a{i}"));
            args.push(format!("*a{i}"));
        } else {
            params.push(format!("__typeof__({c}) a{i}"));
            args.push(format!("a{i}"));
        }
    }
    let call = format!("{}({})", import.symbol, args.join(", "));
    let name = symbol(stem, &import.symbol);
    let result = import.c_types.last().map_or("void", |c| c.as_str());
    let (result, body) = match &import.signature.result {
        Type::Record(number) => {
            let c = header.records[*number].c.as_deref().unwrap_or(result);
            params.push(format!("{c} *result"));
            // A structure with a constant field cannot be assigned to.
            ("void".to_string(), format!("{c} given = {call}; __builtin_memcpy(result, &given, sizeof given);"))
        }
        Type::Void => ("void".to_string(), format!("{call};")),
        _ => (format!("__typeof__({result})"), format!("return {call};")),
    };
    if params.is_empty() {
        params.push("void".to_string());
    }
    // The header may have a macro of the function's name, which is not what is bound.
    format!("#undef {}\n{result} {name}({}) {{ {body} }}", import.symbol, params.join(", "))
}
