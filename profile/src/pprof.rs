//! A profile in pprof's format (`profile.proto`, compressed), for `go tool pprof`, Speedscope and others.
//!
//! Protocol buffers as far as they are needed: numbers are varints, texts and messages have their length in front.

use std::collections::HashMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::read::Profile;

/// A message under construction.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }

    fn number(&mut self, field: u64, n: u64) {
        if n != 0 {
            self.varint(field << 3);
            self.varint(n);
        }
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn numbers(&mut self, field: u64, numbers: &[u64]) {
        let mut packed = Message::default();
        numbers.iter().for_each(|&n| packed.varint(n));
        self.bytes(field, &packed.0);
    }
}

/// Texts by number; the first is empty.
struct Texts {
    known: HashMap<String, u64>,
    all: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(&n) = self.known.get(text) {
            return n;
        }
        let n = self.all.len() as u64;
        self.all.push(text.to_string());
        self.known.insert(text.to_string(), n);
        n
    }
}

/// The uncompressed message.
pub fn message(profile: &Profile) -> Vec<u8> {
    let mut texts = Texts { known: HashMap::from([(String::new(), 0)]), all: vec![String::new()] };
    let mut out = Message::default();
    let (what, unit) = match (profile.kind.as_str(), profile.unit.as_str()) {
        ("time", _) => ("cpu", "nanoseconds"),
        ("wait", _) => ("delay", "nanoseconds"),
        ("alloc", _) => ("alloc_space", "bytes"),
        (_, unit) => ("instructions", unit),
    };
    let count = if profile.kind == "calls" { "calls" } else { "samples" };
    for (kind, unit) in [(count, "count"), (what, unit)] {
        let mut value = Message::default();
        value.number(1, texts.number(kind));
        value.number(2, texts.number(unit));
        out.bytes(1, &value.0);
    }
    let mut locations: HashMap<(u32, u32), u64> = HashMap::new();
    let mut order = Vec::new();
    for tree in &profile.trees {
        for node in tree.nodes.iter().filter(|node| node.weight > 0 || node.count > 0) {
            let mut stack = Vec::new();
            let mut at = Some(node);
            while let Some(node) = at {
                let next = locations.len() as u64 + 1;
                let place = (node.function, node.line);
                stack.push(*locations.entry(place).or_insert_with(|| {
                    order.push(place);
                    next
                }));
                at = node.parent.map(|parent| &tree.nodes[parent as usize]);
            }
            let mut sample = Message::default();
            sample.numbers(1, &stack);
            sample.numbers(2, &[node.count, node.weight]);
            out.bytes(2, &sample.0);
        }
    }
    for ((function, line), id) in order.into_iter().zip(1..) {
        let mut place = Message::default();
        place.number(1, u64::from(function) + 1);
        place.number(2, u64::from(line));
        let mut location = Message::default();
        location.number(1, id);
        location.bytes(4, &place.0);
        out.bytes(4, &location.0);
    }
    for (f, id) in profile.functions.iter().zip(1..) {
        let mut function = Message::default();
        function.number(1, id);
        function.number(2, texts.number(&f.name));
        function.number(3, texts.number(&f.name));
        function.number(4, texts.number(&f.file));
        function.number(5, u64::from(f.line));
        out.bytes(5, &function.0);
    }
    for text in &texts.all {
        out.bytes(6, text.as_bytes());
    }
    out.number(10, profile.elapsed);
    out.0
}

/// The file.
pub fn file(profile: &Profile) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&message(profile))?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{read, tests::SAMPLE};

    /// Fields of a message: (number, value of a varint or bytes).
    fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, Vec<u8>)> {
        fn varint(bytes: &mut &[u8]) -> u64 {
            let mut n = 0;
            for shift in (0..).step_by(7) {
                let byte = bytes[0];
                *bytes = &bytes[1..];
                n |= u64::from(byte & 0x7f) << shift;
                if byte < 0x80 {
                    break;
                }
            }
            n
        }
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let n = varint(&mut bytes);
            let mut data = Vec::new();
            if key & 7 == 2 {
                data = bytes[..n as usize].to_vec();
                bytes = &bytes[n as usize..];
            }
            found.push((key >> 3, n, data));
        }
        found
    }

    #[test]
    fn what_is_written_can_be_read_back() {
        let profile = read(SAMPLE).unwrap();
        let all = fields(&message(&profile));
        let of = |field: u64| all.iter().filter(move |f| f.0 == field);
        assert_eq!((of(2).count(), of(4).count(), of(5).count()), (5, 4, 4));
        // The deepest sample has five locations, and its count and weight.
        let sample = fields(&of(2).next_back().unwrap().2);
        assert_eq!(sample[0].2.len(), 5);
        assert_eq!(sample[1].2, [1, 15]);
        assert!(of(6).any(|text| text.2 == b"a b.sml"));
    }
}
