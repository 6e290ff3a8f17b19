//! How long the front part of an image takes to load: `load basis.front`, as the driver's build wrote it.

use leat_elab::{Basis, Tables};
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("the path of basis.front");
    let bytes: &'static [u8] = std::fs::read(path).unwrap().leak();
    for _ in 0..3 {
        let mut last = Instant::now();
        let mut lap = |what: &str| {
            println!("{what}: {:?}", last.elapsed());
            last = Instant::now();
        };
        let (names, rest): (Vec<&'static str>, _) = postcard::take_from_bytes(bytes).unwrap();
        lap("names");
        leat_base::symbol::preload(names).unwrap();
        lap("preload");
        let (_files, rest): (Vec<(String, String)>, _) = postcard::take_from_bytes(rest).unwrap();
        lap("files");
        let (tables, rest): (Tables, _) = postcard::take_from_bytes(rest).unwrap();
        lap("tables");
        let _basis: Basis = postcard::from_bytes(rest).unwrap();
        lap("basis");
        println!("{} types, {} variables", tables.types.len(), tables.vars.len());
    }
}
