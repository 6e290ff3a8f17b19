//! Makes the table of symbols and the check of prototypes from the table of primitives, for `src/symbols.rs`.

use std::fmt::Write;
use std::path::PathBuf;

use leat_abi::prim::{Also, Lower, Prim, Stub, stub};
use leat_abi::signature::Register;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut stubs = String::new();
    let mut externs = String::new();
    let mut rows = String::new();
    let mut checks = String::new();
    for prim in Prim::all().filter(|prim| prim.lower() != Lower::Inline) {
        let (chapter, symbol, entry) = (prim.chapter(), prim.symbol(), prim.entry());
        if prim.lower() == Lower::Leaf {
            writeln!(rows, "    ({entry:?}, Address(chapters::{chapter}::{symbol} as *const () as *const u8)),")
                .unwrap();
        } else {
            match prim.stub() {
                Stub::Quick => writeln!(stubs, "leat_fiber::quick_stub!({symbol});").unwrap(),
                Stub::Plain => writeln!(stubs, "leat_fiber::runtime_stub!({symbol});").unwrap(),
                // `leat_fiber` has written it.
                Stub::Fast | Stub::None => {}
            }
            external(entry, &mut externs, &mut rows);
        }
        checks.push_str(&check(prim));
    }
    for entry in stub::ALL {
        external(entry, &mut externs, &mut rows);
    }
    let text = format!(
        "{stubs}\nmod stubs {{\n    unsafe extern \"C\" {{\n{externs}    }}\n}}\n\n/// The function of each leaf, the stub of each \
         runtime primitive, and the stubs that are no primitives.\npub static SYMBOLS: &[(&str, Address)] = \
         &[\n{rows}];\n\n{checks}"
    );
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    std::fs::write(out.join("symbols.rs"), text).expect("OUT_DIR is writable");
}

fn external(entry: &str, externs: &mut String, rows: &mut String) {
    writeln!(externs, "        pub fn {entry}();").unwrap();
    writeln!(rows, "    ({entry:?}, Address(stubs::{entry} as *const () as *const u8)),").unwrap();
}

/// Code that compiles only if the primitive's function has the prototype of its type.
fn check(prim: Prim) -> String {
    let signature = prim.signature();
    let mut params: Vec<&str> = signature.args.iter().map(|ty| bound(ty.register())).collect();
    if prim.is(Also::TakesShape) {
        params.push("Word");
    }
    let is_leaf = prim.lower() == Lower::Leaf;
    // Runtime functions always give a word, which is left alone where there is no result.
    let result = match signature.result.register() {
        Register::None if is_leaf => "Nothing",
        Register::None => "Word",
        register => bound(register),
    };
    let generics: Vec<String> = params.iter().enumerate().map(|(i, bound)| format!("A{i}: {bound}")).collect();
    let mut types: Vec<String> = (0..params.len()).map(|i| format!("A{i}")).collect();
    if !is_leaf {
        types.insert(0, "*mut Tcb".to_string());
    }
    let comma = if generics.is_empty() { "" } else { ", " };
    format!(
        "const _: fn() = || {{\n    fn {name}<{generics}{comma}R: {result}>(_: unsafe extern \"C\" fn({types}) -> R) {{}}\n    \
         {name}(chapters::{chapter}::{symbol});\n}};\n",
        name = prim.name(),
        generics = generics.join(", "),
        types = types.join(", "),
        chapter = prim.chapter(),
        symbol = prim.symbol(),
    )
}

fn bound(register: Register) -> &'static str {
    match register {
        Register::Real => "Real",
        _ => "Word",
    }
}
