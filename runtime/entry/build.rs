//! Makes the table of symbols and the entries, which are what compiled code calls, from the table of primitives, for
//! `src/symbols.rs`.

use std::fmt::Write;
use std::path::PathBuf;

use leat_abi::prim::{Also, Lower, Prim, Stub, stub};
use leat_abi::signature::Register;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut stubs = String::new();
    let mut externs = String::new();
    let mut rows = String::new();
    let mut entries = String::new();
    for prim in Prim::all().filter(|prim| prim.lower() != Lower::Inline) {
        let (symbol, entry) = (prim.symbol(), prim.entry());
        if prim.lower() == Lower::Leaf {
            writeln!(rows, "    ({entry:?}, Address(entries::{symbol} as *const () as *const u8)),").unwrap();
        } else {
            match prim.stub() {
                Stub::Quick => writeln!(stubs, "leat_fiber::quick_stub!({symbol});").unwrap(),
                Stub::Plain => writeln!(stubs, "leat_fiber::runtime_stub!({symbol});").unwrap(),
                // `leat_fiber` has written it.
                Stub::Fast | Stub::None => {}
            }
            external(entry, &mut externs, &mut rows);
        }
        entries.push_str(&entered(prim));
    }
    for entry in stub::ALL {
        external(entry, &mut externs, &mut rows);
    }
    let text = format!(
        "{stubs}\nmod entries {{\n    use super::{{Answer, Caller, Tcb, Word, \
         chapters}};\n\n{entries}}}\n\nmod stubs {{\n    unsafe extern \"C\" {{\n{externs}    }}\n}}\n\n/// The function of each leaf, the stub of each \
         runtime primitive, and the stubs that are no primitives.\npub static SYMBOLS: &[(&str, Address)] = \
         &[\n{rows}];\n"
    );
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("symbols.rs"), text).expect("OUT_DIR is writable");
}

fn external(entry: &str, externs: &mut String, rows: &mut String) {
    writeln!(externs, "        pub fn {entry}();").unwrap();
    writeln!(rows, "    ({entry:?}, Address(stubs::{entry} as *const () as *const u8)),").unwrap();
}

/// What compiled code calls, and what it promises by that: registers become the arguments of the primitive's function,
/// whose parameters have to be of the kinds of the primitive's type.
fn entered(prim: Prim) -> String {
    let signature = prim.signature();
    let is_leaf = prim.lower() == Lower::Leaf;
    let (mut params, mut args) = (Vec::new(), Vec::new());
    if !is_leaf {
        params.push("tcb: *mut Tcb".to_string());
        args.push("Caller::enter(tcb)".to_string());
    }
    let shape = prim.is(Also::TakesShape).then_some(Register::Int);
    for (i, register) in signature.args.iter().map(|ty| ty.register()).chain(shape).enumerate() {
        let (ty, arg) = match register {
            Register::Real => ("f64", format!("a{i}")),
            _ => ("u64", format!("Word::of(a{i})")),
        };
        params.push(format!("a{i}: {ty}"));
        args.push(arg);
    }
    // Runtime functions always give a word, which is left alone where there is no result.
    let (result, word) = match signature.result.register() {
        Register::None if is_leaf => ("", ""),
        Register::Real => (" -> f64", ""),
        _ => (" -> u64", ".word()"),
    };
    let function = format!("chapters::{}::{}", prim.chapter(), prim.symbol());
    let (params, args) = (params.join(", "), args.join(", "));
    // A function is unsafe where compiled code promises more than the type.
    format!(
        "    #[unsafe(no_mangle)]\n    #[allow(unused_unsafe, clippy::unit_arg, reason = \"functions are of several kinds\")]\n    \
         pub unsafe extern \"C\" fn {symbol}({params}){result} {{\n        \
         // SAFETY: compiled code passes what the primitive's type in the table says.\n        \
         unsafe {{ {function}({args}){word} }}\n    }}\n\n",
        symbol = prim.symbol(),
    )
}
