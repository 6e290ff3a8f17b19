//! The Lambda of a library as bytes, each declaration decoded by itself when somebody asks.
//!
//! ```text
//! u32 little-endian: MAGIC, decs, first var, vars, effects
//!     offset of each declaration from the first's, and the end      (decs + 1)
//!     declaration that binds the variable `first var + i`, or none  (vars)
//!     declarations with an effect                                   (effects)
//! postcard: each declaration
//! ```

use crate::ir::*;

const MAGIC: u32 = 0x314d_414c;
const NONE: u32 = u32::MAX;
const HEADER: usize = 5;

/// A view of an image's bytes; opening it reads the header alone.
#[derive(Clone, Copy)]
pub struct Image<'b> {
    bytes: &'b [u8],
    decs: usize,
    first_var: u32,
    vars: usize,
    effects: usize,
    /// Where the first declaration begins.
    start: usize,
}

/// Writes a library's image.
pub fn write(lambda: &Lambda) -> Vec<u8> {
    let binds: Vec<(Var, u32)> = lambda
        .decs
        .iter()
        .enumerate()
        .flat_map(|(i, top)| top.dec.binds().into_iter().map(move |var| (var, i as u32)))
        .collect();
    let first_var = binds.iter().map(|bind| bind.0.0).min().unwrap_or(0);
    let vars = binds.iter().map(|bind| bind.0.0 + 1 - first_var).max().unwrap_or(0);
    let mut dec_of = vec![NONE; vars as usize];
    for (var, dec) in binds {
        dec_of[(var.0 - first_var) as usize] = dec;
    }
    let effects: Vec<u32> = (0..lambda.decs.len()).filter(|&i| lambda.decs[i].effect).map(|i| i as u32).collect();
    let mut offsets = vec![0u32];
    let mut body = Vec::new();
    for top in &lambda.decs {
        body = postcard::to_extend(top, body).expect("declarations are plain data");
        offsets.push(body.len() as u32);
    }
    let header = [MAGIC, lambda.decs.len() as u32, first_var, vars, effects.len() as u32];
    let words = header.iter().chain(&offsets).chain(&dec_of).chain(&effects);
    let mut bytes: Vec<u8> = words.flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend(body);
    bytes
}

impl<'b> Image<'b> {
    /// Reads the header. The error says what is wrong with the bytes.
    pub fn open(bytes: &'b [u8]) -> Result<Image<'b>, String> {
        let mut image = Image { bytes, decs: 0, first_var: 0, vars: 0, effects: 0, start: 0 };
        if bytes.len() < 4 * HEADER || image.word(0) != MAGIC {
            return Err("not an image of Lambda".to_string());
        }
        image.decs = image.word(1) as usize;
        image.first_var = image.word(2);
        image.vars = image.word(3) as usize;
        image.effects = image.word(4) as usize;
        image.start = 4 * (HEADER + image.decs + 1 + image.vars + image.effects);
        if bytes.len() < image.start {
            return Err("the image of Lambda is cut off".to_string());
        }
        Ok(image)
    }

    fn word(&self, i: usize) -> u32 {
        u32::from_le_bytes(self.bytes[4 * i..4 * i + 4].try_into().expect("four bytes"))
    }

    /// How many declarations.
    pub fn len(&self) -> usize {
        self.decs
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.decs == 0
    }

    /// The declaration that binds a variable.
    pub fn dec_of(&self, var: Var) -> Option<u32> {
        let i = var.0.checked_sub(self.first_var)? as usize;
        let dec = if i < self.vars { self.word(HEADER + self.decs + 1 + i) } else { NONE };
        (dec != NONE).then_some(dec)
    }

    /// The declarations with an effect.
    pub fn effects(&self) -> impl Iterator<Item = u32> + use<'_, 'b> {
        (0..self.effects).map(|i| self.word(HEADER + self.decs + 1 + self.vars + i))
    }

    /// Declaration number `dec`.
    pub fn decode(&self, dec: u32) -> Result<TopDec, String> {
        let i = dec as usize;
        if i >= self.decs {
            return Err(format!("the image has no declaration {i}"));
        }
        let range = self.start + self.word(HEADER + i) as usize..self.start + self.word(HEADER + i + 1) as usize;
        let bytes = self.bytes.get(range).ok_or("the image of Lambda is cut off")?;
        postcard::from_bytes(bytes).map_err(|error| format!("declaration {i} of the image is damaged: {error}"))
    }
}
