//! Data in the formats of gzip, zlib and deflate -> what was compressed, piece by piece.
//!
//! Blocks, and the frame of zlib (RFC 1950), are miniz_oxide's work; the frame of gzip (RFC 1952) is read here. The
//! window of 32 KB that matches look back into is here as well. Until it is full for the first time, it is given as a
//! buffer that does not wrap: so a match from before the beginning of the data is an error, as it is for zlib. In a
//! window that wraps, as flate2's decompressors have it from the start, such a match finds zeros.

use flate2::Crc;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_COMPUTE_ADLER32, TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_PARSE_ZLIB_HEADER,
    TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress_with_limit};

const WINDOW: usize = 32 << 10;

/// A step reads no more when it has made so many bytes. Behind them comes at most what the decompressor holds: a match
/// of 258 bytes, and 64 bits, of which two may be another one. That makes less than 32 KB.
const ENOUGH: usize = 23 << 10;

/// What a step leaves behind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    GoesOn,
    Ended,
    Broken,
}

/// One stream of zlib or deflate.
pub struct Inflate {
    decompressor: Box<DecompressorOxide>,
    window: Box<[u8; WINDOW]>,
    /// how many bytes were made
    made: u64,
    flags: u32,
}

impl Inflate {
    pub fn new(is_zlib: bool) -> Inflate {
        let frame = if is_zlib { TINFL_FLAG_PARSE_ZLIB_HEADER | TINFL_FLAG_COMPUTE_ADLER32 } else { 0 };
        Inflate {
            decompressor: Box::default(),
            window: Box::new([0; WINDOW]),
            made: 0,
            flags: frame | TINFL_FLAG_HAS_MORE_INPUT,
        }
    }

    /// For the next member of a file.
    fn restart(&mut self) {
        self.decompressor.init();
        self.made = 0;
    }

    /// Some of the input -> how much of it was used, and the status; what came of it goes behind the output. If the
    /// input is used up, everything that it stands for is there.
    pub fn step(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, Status) {
        let mut used = 0;
        loop {
            let rest = &input[used..];
            let most = if rest.is_empty() { usize::MAX } else { ENOUGH.saturating_sub(output.len()) };
            let at = (self.made % WINDOW as u64) as usize;
            let full = if self.made < WINDOW as u64 { TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF } else { 0 };
            let (status, taken, made) =
                decompress_with_limit(&mut self.decompressor, rest, &mut self.window[..], at, most, self.flags | full);
            used += taken;
            self.made += made as u64;
            output.extend_from_slice(&self.window[at..at + made]);
            match status {
                TINFLStatus::Done => return (used, Status::Ended),
                TINFLStatus::NeedsMoreInput => return (used, Status::GoesOn),
                TINFLStatus::HasMoreOutput if used < input.len() && output.len() >= ENOUGH => {
                    return (used, Status::GoesOn);
                }
                TINFLStatus::HasMoreOutput => {}
                _ => return (used, Status::Broken),
            }
        }
    }
}

/// Bits of a header: which parts it has.
const HAS_CHECK: u8 = 2;
const HAS_EXTRA: u8 = 4;
const HAS_NAME: u8 = 8;
const HAS_COMMENT: u8 = 16;
const RESERVED: u8 = 0xE0;

/// What the next byte of a file belongs to. Each part is passed over that a header has not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// the ten bytes that every header has
    Head,
    ExtraSize,
    /// so many bytes are left
    Extra(usize),
    Name,
    Comment,
    HeadCheck,
    Data,
    /// check sum and size
    Trailer,
}

/// A file of gzip: members, one behind the other.
pub struct Gunzip {
    inflate: Inflate,
    part: Part,
    /// what is there of a part of fixed size
    held: Vec<u8>,
    flags: u8,
    head: Crc,
    data: Crc,
    /// whether a member has ended, behind which nothing has come yet
    may_end: bool,
}

impl Gunzip {
    pub fn new() -> Gunzip {
        Gunzip {
            inflate: Inflate::new(false),
            part: Part::Head,
            held: Vec::new(),
            flags: 0,
            head: Crc::new(),
            data: Crc::new(),
            may_end: false,
        }
    }

    /// Whether the file may end here.
    pub fn may_end(&self) -> bool {
        self.may_end
    }

    /// As [`Inflate::step`]; the status is never `Ended`.
    pub fn step(&mut self, input: &[u8], output: &mut Vec<u8>) -> (usize, Status) {
        let mut used = 0;
        while used < input.len() && output.len() < ENOUGH {
            self.may_end = false;
            let rest = &input[used..];
            let (taken, is_right) = match self.part {
                Part::Head => self.fixed(rest, 10),
                Part::ExtraSize | Part::HeadCheck => self.fixed(rest, 2),
                Part::Trailer => self.fixed(rest, 8),
                Part::Extra(left) => {
                    let taken = left.min(rest.len());
                    self.head.update(&rest[..taken]);
                    self.part = if taken < left { Part::Extra(left - taken) } else { self.behind_extra() };
                    (taken, true)
                }
                Part::Name | Part::Comment => {
                    let end = rest.iter().position(|&byte| byte == 0);
                    let taken = end.map_or(rest.len(), |end| end + 1);
                    self.head.update(&rest[..taken]);
                    if end.is_some() {
                        self.part = if self.part == Part::Name { self.behind_name() } else { self.behind_comment() };
                    }
                    (taken, true)
                }
                Part::Data => {
                    let before = output.len();
                    let (taken, status) = self.inflate.step(rest, output);
                    self.data.update(&output[before..]);
                    if status == Status::Ended {
                        self.part = Part::Trailer;
                    }
                    (taken, status != Status::Broken)
                }
            };
            used += taken;
            if !is_right {
                return (used, Status::Broken);
            }
        }
        (used, Status::GoesOn)
    }

    /// Takes what is there of a part of so many bytes -> how much that is, and whether the part is right.
    fn fixed(&mut self, input: &[u8], size: usize) -> (usize, bool) {
        let taken = (size - self.held.len()).min(input.len());
        self.held.extend_from_slice(&input[..taken]);
        let is_right = self.held.len() < size || {
            let bytes = std::mem::take(&mut self.held);
            self.whole(&bytes)
        };
        (taken, is_right)
    }

    /// A part of fixed size is there -> whether it is right.
    fn whole(&mut self, bytes: &[u8]) -> bool {
        let short = u16::from_le_bytes([bytes[0], bytes[1]]);
        match self.part {
            Part::Head => {
                self.head.update(bytes);
                self.flags = bytes[3];
                self.part = if self.flags & HAS_EXTRA != 0 { Part::ExtraSize } else { self.behind_extra() };
                bytes[..3] == [0x1F, 0x8B, 8] && self.flags & RESERVED == 0
            }
            Part::ExtraSize => {
                self.head.update(bytes);
                self.part = if short > 0 { Part::Extra(short.into()) } else { self.behind_extra() };
                true
            }
            Part::HeadCheck => {
                self.part = Part::Data;
                short == self.head.sum() as u16
            }
            // The trailer, behind which another member may begin.
            _ => {
                let expected = [self.data.sum().to_le_bytes(), self.data.amount().to_le_bytes()].concat();
                self.inflate.restart();
                (self.head, self.data, self.part, self.may_end) = (Crc::new(), Crc::new(), Part::Head, true);
                bytes == expected
            }
        }
    }

    fn behind_extra(&self) -> Part {
        if self.flags & HAS_NAME != 0 { Part::Name } else { self.behind_name() }
    }

    fn behind_name(&self) -> Part {
        if self.flags & HAS_COMMENT != 0 { Part::Comment } else { self.behind_comment() }
    }

    fn behind_comment(&self) -> Part {
        if self.flags & HAS_CHECK != 0 { Part::HeadCheck } else { Part::Data }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use leat_random::Random;

    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Format {
        Gzip,
        Zlib,
        Deflate,
    }
    const FORMATS: [Format; 3] = [Format::Gzip, Format::Zlib, Format::Deflate];

    /// What the data stand for, if they come in pieces of at most so many bytes; none if they are broken or cut.
    fn back(format: Format, data: &[u8], most: usize) -> Option<Vec<u8>> {
        let (mut all, mut at) = (Vec::new(), 0);
        let (mut inflate, mut gunzip) = (Inflate::new(matches!(format, Format::Zlib)), Gunzip::new());
        let mut is_over = false;
        while at < data.len() {
            let input = &data[at..data.len().min(at + most)];
            let mut output = Vec::new();
            let (used, status) = match format {
                Format::Gzip => gunzip.step(input, &mut output),
                _ => inflate.step(input, &mut output),
            };
            assert!(output.len() <= 32 << 10);
            assert!(used > 0 || status != Status::GoesOn);
            at += used;
            all.extend(output);
            is_over = status == Status::Ended || gunzip.may_end();
            match status {
                Status::Broken => return None,
                Status::Ended => break,
                Status::GoesOn => {}
            }
        }
        (is_over && at == data.len()).then_some(all)
    }

    fn there(format: Format, text: &[u8], level: u32) -> Vec<u8> {
        let level = Compression::new(level);
        match format {
            Format::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), level);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            Format::Zlib => {
                let mut encoder = ZlibEncoder::new(Vec::new(), level);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            Format::Deflate => {
                let mut encoder = DeflateEncoder::new(Vec::new(), level);
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
        }
    }

    /// Blocks of deflate in the frame of a format.
    fn framed(format: Format, blocks: &[u8], text: &[u8]) -> Vec<u8> {
        let mut crc = Crc::new();
        crc.update(text);
        match format {
            Format::Gzip => {
                let head = b"\x1F\x8B\x08\0\0\0\0\0\0\x03".to_vec();
                [head, blocks.to_vec(), crc.sum().to_le_bytes().to_vec(), crc.amount().to_le_bytes().to_vec()].concat()
            }
            Format::Zlib => {
                let sums = text.iter().fold((1u32, 0u32), |(a, b), &byte| {
                    let a = (a + u32::from(byte)) % 65521;
                    (a, (a + b) % 65521)
                });
                [b"\x78\x9C".to_vec(), blocks.to_vec(), (sums.1 << 16 | sums.0).to_be_bytes().to_vec()].concat()
            }
            Format::Deflate => blocks.to_vec(),
        }
    }

    /// So many letters in a block that is not compressed, and then a match of three bytes at a distance.
    fn letters_and_match(letters: u16, distance: usize) -> Vec<u8> {
        let mut data = vec![0];
        data.extend(letters.to_le_bytes());
        data.extend((!letters).to_le_bytes());
        data.extend(vec![b'a'; letters.into()]);
        // The code of a distance, with its extra bits.
        let (mut code, mut base, mut extra) = (0u32, 1usize, 0u32);
        while base + (1 << extra) <= distance {
            base += 1 << extra;
            code += 1;
            extra = (code / 2).saturating_sub(1);
        }
        let mut bits: Vec<bool> = vec![true, true, false];
        let code_of = |value: u32, size: u32| (0..size).rev().map(move |i| value >> i & 1 == 1);
        bits.extend(code_of(1, 7));
        bits.extend(code_of(code, 5));
        bits.extend((0..extra).map(|i| (distance - base) >> i & 1 == 1));
        bits.extend(code_of(0, 7));
        for byte in bits.chunks(8) {
            data.push(byte.iter().enumerate().map(|(i, &bit)| u8::from(bit) << i).sum());
        }
        data
    }

    /// A match from before the beginning of the data gave zeros, in each format; zlib says "invalid distance too far
    /// back". Also where the window is nearly full, and when it wraps.
    #[test]
    fn a_match_from_before_the_beginning_is_broken() {
        for letters in [1, 3, 100, 4000, WINDOW - 2, WINDOW - 1, WINDOW, WINDOW + 1, WINDOW + 100] {
            for distance in [1, letters - 1, letters, letters + 1, letters + 3, WINDOW] {
                if distance == 0 || distance > WINDOW {
                    continue;
                }
                let blocks = letters_and_match(letters as u16, distance);
                let is_right = distance <= letters;
                let text = if is_right { vec![b'a'; letters + 3] } else { [vec![b'a'; letters], vec![0; 3]].concat() };
                for format in FORMATS {
                    for most in [1, 7, 1000, usize::MAX >> 1] {
                        let found = back(format, &framed(format, &blocks, &text), most);
                        assert_eq!(found, is_right.then(|| text.clone()), "{format:?} {letters} {distance} {most}");
                    }
                }
            }
        }
    }

    fn text(rng: &mut Random) -> Vec<u8> {
        let size = *rng.pick(&[10, 1000, 40_000, 200_000]);
        let letters = *rng.pick(&[1, 2, 20, 256]);
        let mut text = Vec::new();
        while text.len() < size {
            if text.is_empty() || rng.below(3) > 0 {
                text.push(rng.below(letters) as u8);
            } else {
                let (from, n) = (rng.below(text.len()), rng.below(300));
                text.extend_from_within(from..text.len().min(from + n));
            }
        }
        text
    }

    #[test]
    fn what_was_compressed_comes_back() {
        let mut rng = Random::new(62);
        for _ in 0..60 {
            let text = text(&mut rng);
            for format in FORMATS {
                let mut data = there(format, &text, rng.below(10) as u32);
                let bits = rng.below(17);
                let most = 1 + rng.below(1 << bits);
                assert_eq!(back(format, &data, most).as_ref(), Some(&text));
                let cut = rng.below(data.len());
                assert_eq!(back(format, &data[..cut], most), None);
                let place = rng.below(data.len());
                data[place] ^= 1 << rng.below(8);
                // Another match may stand for the same text; deflate has no check sum.
                let changed = back(format, &data, most);
                assert!(matches!(format, Format::Deflate) || changed.is_none_or(|changed| changed == text));
            }
        }
    }

    /// A piece of the input that can be decompressed is: nothing of it waits for the next one.
    #[test]
    fn what_was_flushed_is_there() {
        let mut rng = Random::new(7);
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
        let mut gunzip = Gunzip::new();
        for _ in 0..40 {
            let text = text(&mut rng);
            encoder.write_all(&text).unwrap();
            encoder.flush().unwrap();
            let data = std::mem::take(encoder.get_mut());
            let (mut all, mut at) = (Vec::new(), 0);
            while at < data.len() {
                at += gunzip.step(&data[at..], &mut all).0;
                if at < data.len() {
                    let mut output = Vec::new();
                    at += gunzip.step(&data[at..], &mut output).0;
                    all.extend(output);
                }
            }
            assert_eq!(all, text);
        }
    }

    #[test]
    fn a_header_has_parts() {
        let text = b"text".to_vec();
        let blocks = there(Format::Deflate, &text, 6);
        let trailer = framed(Format::Gzip, &blocks, &text)[10 + blocks.len()..].to_vec();
        let file = |flags: u8, parts: &[u8], check: bool| {
            let head = [&[0x1F, 0x8B, 8, flags, 0, 0, 0, 0, 0, 3], parts].concat();
            let mut crc = Crc::new();
            crc.update(&head);
            let sum = if check { (crc.sum() as u16).to_le_bytes().to_vec() } else { Vec::new() };
            [head, sum, blocks.clone(), trailer.clone()].concat()
        };
        let right = [
            file(0, b"", false),
            file(1, b"", false),
            file(HAS_EXTRA, b"\0\0", false),
            file(HAS_EXTRA | HAS_CHECK, b"\x03\0abc", true),
            file(HAS_NAME, b"name\0", false),
            file(HAS_COMMENT | HAS_CHECK, b"\0", true),
            file(HAS_EXTRA | HAS_NAME | HAS_COMMENT | HAS_CHECK, b"\x01\0a\0comment\0", true),
        ];
        for most in [1, 3, 1000] {
            for file in &right {
                assert_eq!(back(Format::Gzip, file, most), Some(text.clone()));
            }
            assert_eq!(back(Format::Gzip, &right.concat(), most), Some(text.repeat(right.len())));
            for wrong in [
                file(0x20, b"", false),
                file(HAS_CHECK, b"\0\0", false),
                [right[0].clone(), b"x".to_vec()].concat(),
                [right[0].clone(), vec![0; 20]].concat(),
                b"\x1F\x8B\x07\0\0\0\0\0\0\x03".to_vec(),
                Vec::new(),
            ] {
                assert_eq!(back(Format::Gzip, &wrong, most), None);
            }
        }
    }
}
