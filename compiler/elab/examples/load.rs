//! How long the parts of an image take to load: `load basis.front`, as the driver's build wrote it.

use leat_elab::{Basis, Tables};
use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("the path of basis.front");
    let bytes: &'static [u8] = std::fs::read(path).unwrap().leak();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    leat_elab::lazy::keep_image(bytes);
    leat_base::symbol::load(&bytes[8..8 + length]).unwrap();
    for _ in 0..4 {
        let mut last = Instant::now();
        let mut lap = |what: &str, size: usize| {
            println!("{what}: {:?}, {size} bytes", last.elapsed());
            last = Instant::now();
        };
        let all = &bytes[8 + length..];
        let (_files, rest): (Vec<(&str, &str)>, _) = postcard::take_from_bytes(all).unwrap();
        lap("files", all.len() - rest.len());
        let (tables, last): (Tables, _) = postcard::take_from_bytes(rest).unwrap();
        lap("tables", rest.len() - last.len());
        let _basis: Basis = postcard::from_bytes(last).unwrap();
        lap("basis", last.len());
        println!("{} types, {} variables", tables.types.len(), tables.vars.len());
    }
}
