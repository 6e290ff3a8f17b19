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
        let (length, rest) = bytes.split_at(8);
        let (names, rest) = rest.split_at(u64::from_le_bytes(length.try_into().unwrap()) as usize);
        // Once in a process; the later laps say what a second time would cost without it.
        let _ = leat_base::symbol::load(names);
        lap("names");
        let (_files, rest): (Vec<(&str, &str)>, _) = postcard::take_from_bytes(rest).unwrap();
        lap("files");
        let (tables, rest): (Tables, _) = postcard::take_from_bytes(rest).unwrap();
        lap("tables");
        let _basis: Basis = postcard::from_bytes(rest).unwrap();
        lap("basis");
        println!("{} types, {} variables", tables.types.len(), tables.vars.len());
    }
}
