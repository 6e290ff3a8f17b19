//! Types of Mono -> text, for dumps, messages, and the names of instances.

use crate::ir::*;

/// A type as SML would write it; `(a, b) -> (c)` is a function of two values.
pub fn show_ty(types: &Types, ty: Ty) -> String {
    let mut out = String::new();
    show_ty_at(types, ty, 0, &mut out);
    out
}

/// Levels: 0 arrow, 2 operand of `*`, 3 argument of a type constructor. Long types are cut.
pub(crate) fn show_ty_at(types: &Types, ty: Ty, level: u32, out: &mut String) {
    if out.len() > 200 {
        return out.push_str("..");
    }
    let list = |types: &Types, tys: &[Ty], separator: &str, level: u32, out: &mut String| {
        for (i, &ty) in tys.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { separator });
            show_ty_at(types, ty, level, out);
        }
    };
    match types.get(ty) {
        TyData::Scalar(scalar) => out.push_str(&format!("{scalar:?}").to_lowercase()),
        TyData::Tuple(parts) if parts.is_empty() => out.push_str("unit"),
        TyData::Tuple(parts) => {
            out.push_str(if level > 1 { "(" } else { "" });
            list(types, parts, " * ", 2, out);
            out.push_str(if level > 1 { ")" } else { "" });
        }
        TyData::Arrow(params, results) => {
            out.push_str(if level > 0 { "((" } else { "(" });
            list(types, params, ", ", 0, out);
            out.push_str(") -> (");
            list(types, results, ", ", 0, out);
            out.push_str(if level > 0 { "))" } else { ")" });
        }
        TyData::Data(data) => out.push_str(types.datatypes.get(data.0 as usize).map_or("?", |data| data.name.as_str())),
        TyData::Ref(elem) => {
            show_ty_at(types, *elem, 3, out);
            out.push_str(" ref");
        }
        TyData::Array(elem) => {
            show_ty_at(types, *elem, 3, out);
            out.push_str(" array");
        }
        TyData::Vector(elem) => {
            show_ty_at(types, *elem, 3, out);
            out.push_str(" vector");
        }
        TyData::Weak(elem) => {
            show_ty_at(types, *elem, 3, out);
            out.push_str(" weak");
        }
    }
}
