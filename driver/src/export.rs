//! Functions of SML that C calls by name -> their symbols, as assembly; and their prototypes, as a header of C.

use std::fmt::Write;

use leat_abi::foreign::{Field, Foreign, Param, Scalar, Way, callback, groups};

/// The names of exported functions, each once.
pub(crate) fn names(foreign: &[Foreign]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in
        foreign.iter().filter(|foreign| foreign.way == Way::Export).filter_map(|foreign| foreign.name.as_deref())
    {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Two exported functions of one name that C has different prototypes for.
pub(crate) fn clash(foreign: &[Foreign]) -> Option<(&Foreign, &Foreign)> {
    let exports = || foreign.iter().filter(|foreign| foreign.way == Way::Export && foreign.name.is_some());
    let prototype = |of: &Foreign| header(std::slice::from_ref(of), false);
    exports().find_map(|other| {
        let first = exports().find(|first| first.name == other.name)?;
        (prototype(first) != prototype(other)).then_some((first, other))
    })
}

/// Assembly of a symbol for each exported function, which jumps by a variable, with its name in a register for what
/// stands there before the export is evaluated: `first`; and what opens a library. Nothing where nothing is exported.
pub(crate) fn symbols(foreign: &[Foreign], first: Option<&str>, library: bool) -> Option<String> {
    let names = names(foreign);
    if names.is_empty() && !library {
        return None;
    }
    let mut text = String::new();
    if library {
        text.push_str(LIBRARY);
    }
    for (i, name) in names.into_iter().enumerate() {
        let slot = callback::slot(name);
        let first = first.unwrap_or("0");
        let _ = write!(
            text,
            "\t.text\n\t.globl {name}\n\t.type {name}, @function\n{name}:\n\tleaq .Lname{i}(%rip), %r11\n\tjmp \
             *.Lslot{i}(%rip)\n\t.size {name}, .-{name}\n\t.section .rodata\n.Lname{i}:\n\t.asciz \"{name}\"\n\t.data\n\t.balign \
             8\n\t.globl {slot}\n\t.type {slot}, @object\n\t.size {slot}, 8\n{slot}:\n.Lslot{i}:\n\t.quad {first}\n"
        );
    }
    text.push_str("\t.section .note.GNU-stack,\"\",@progbits\n");
    Some(text)
}

/// What opens and closes a library.
const LIBRARY: &str = "\t.text\n\t.hidden leat_program\n\t.globl leat_open\n\t.type leat_open, @function\nleat_open:\n\tmovq %rsi, \
     %rdx\n\tmovslq %edi, %rsi\n\tleaq leat_program(%rip), %rdi\n\tjmp leat_library_open\n\t.size leat_open, \
     .-leat_open\n\t.globl leat_close\n\t.type leat_close, @function\nleat_close:\n\tjmp leat_library_close\n\t.size leat_close, \
     .-leat_close\n";

/// What a header begins with; by that it is known as one that may be written again.
pub(crate) const FIRST_LINE: &str = "/* Functions of SML that C may call. Written by leat. */\n";

/// A header with the prototypes of all exported functions.
pub(crate) fn header(foreign: &[Foreign], library: bool) -> String {
    let mut text =
        format!("{FIRST_LINE}#pragma once\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n");
    if library {
        text.push_str(
            "/* Evaluates the declarations of the library: 0; the exit code, where the program has ended already; -1 if \
             it was opened before. */\nint leat_open(int argc, const char *const *argv);\n/* Ends it: its exit code; -1 \
             if it is not open. */\nint leat_close(void);\n\n",
        );
    }
    let (mut told, mut known) = (Vec::new(), Vec::new());
    for foreign in foreign.iter().filter(|foreign| foreign.way == Way::Export) {
        let Some(name) = foreign.name.as_deref().filter(|name| !told.contains(name)) else { continue };
        told.push(name);
        let mut params: Vec<String> = Vec::new();
        for group in groups(&foreign.params) {
            params.push(match group[0] {
                Param::Scalar(scalar) | Param::Checked(scalar) | Param::Cell(scalar) => in_c(scalar).to_string(),
                Param::Object | Param::Array => "void *".to_string(),
                Param::Field { .. } => {
                    let fields: Vec<Field> = group.iter().filter_map(|param| param.field()).collect();
                    structure(&mut text, &mut known, &fields)
                }
            });
        }
        let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
        let result = match foreign.result[..] {
            [] => "void".to_string(),
            [field] => in_c(field.scalar).to_string(),
            _ => structure(&mut text, &mut known, &foreign.result),
        };
        let blank = if result.ends_with('*') { "" } else { " " };
        let _ = writeln!(text, "{result}{blank}{name}({params});");
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n");
    text
}

/// The name of a structure, which is declared before it is first used. Equal ones have the same name: that of its
/// fields, with the alignment of those that begin behind the end of a structure in it.
fn structure(text: &mut String, known: &mut Vec<String>, fields: &[Field]) -> String {
    let (mut name, mut body, mut end) = ("struct leat".to_string(), String::new(), 0);
    for (i, field) in fields.iter().enumerate() {
        let Field { scalar, at } = *field;
        let _ = write!(name, "_{}", scalar.name());
        // A structure in it has ended, or begins, with an alignment that is more than the field's.
        let mut alignment = scalar.size();
        while u32::next_multiple_of(end, alignment) != at {
            alignment *= 2;
        }
        let type_of = in_c(scalar);
        let blank = if type_of.ends_with('*') { "" } else { " " };
        if alignment == scalar.size() {
            let _ = write!(body, " {type_of}{blank}_{};", i + 1);
        } else {
            let _ = write!(name, "at{at}");
            let _ = write!(body, " {type_of}{blank}_{} __attribute__((aligned({alignment})));", i + 1);
        }
        end = at + scalar.size();
    }
    if !known.contains(&name) {
        let _ = writeln!(text, "{name} {{{body} }};");
        known.push(name.clone());
    }
    name
}

fn in_c(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "int8_t",
        Scalar::I16 => "int16_t",
        Scalar::I32 | Scalar::Bool => "int32_t",
        Scalar::I64 => "int64_t",
        Scalar::U8 => "uint8_t",
        Scalar::U16 => "uint16_t",
        Scalar::U32 => "uint32_t",
        Scalar::U64 => "uint64_t",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
        Scalar::Pointer => "void *",
    }
}
