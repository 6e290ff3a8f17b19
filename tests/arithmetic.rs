//! Arithmetic against an oracle that is not Leat: random constants and operations of all sizes of int and word, IntInf
//! and real; what a program prints must be what `num-bigint` and Rust's floats compute.
//!
//! An operand is a constant, a constant with a constraint, or comes from a text when the program runs; the compiler
//! folds the first two, and the last meets what the machine does. Each program runs not optimised and optimised.
//!
//! `PROGRAMS=n` runs more of them (each has 100 operations), `SEED=n` others.

use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

use num_bigint::{BigInt, Sign};
use tempfile::TempDir;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// Operations of a program.
const OPERATIONS: usize = 100;

#[path = "random/numbers.rs"]
mod numbers;
use leat_random::{Random, setting};
use numbers::number;

/// A structure of integers: its name, and its bits; none for IntInf.
#[derive(Clone, Copy)]
struct Sort {
    name: &'static str,
    bits: Option<u32>,
    signed: bool,
}

const fn int(name: &'static str, bits: u32) -> Sort {
    Sort { name, bits: Some(bits), signed: true }
}

const fn word(name: &'static str, bits: u32) -> Sort {
    Sort { name, bits: Some(bits), signed: false }
}

const SORTS: &[Sort] = &[
    int("Int", 64),
    int("Int8", 8),
    int("Int16", 16),
    int("Int31", 31),
    int("Int32", 32),
    int("Int64", 64),
    int("FixedInt", 64),
    Sort { name: "IntInf", bits: None, signed: true },
    Sort { name: "LargeInt", bits: None, signed: true },
    word("Word", 64),
    word("Word8", 8),
    word("Word16", 16),
    word("Word31", 31),
    word("Word32", 32),
    word("Word64", 64),
    word("LargeWord", 64),
];

/// What an operation gives, as the program prints it.
type Answer = Result<String, &'static str>;

impl Sort {
    fn ty(self) -> String {
        format!("{}.{}", self.name, if self.signed { "int" } else { "word" })
    }

    fn range(self) -> Option<(BigInt, BigInt)> {
        let bits = self.bits?;
        let one = BigInt::from(1);
        Some(if self.signed {
            (-(one.clone() << (bits - 1)), (one << (bits - 1)) - 1)
        } else {
            (BigInt::ZERO, (one << bits) - 1)
        })
    }

    /// A result of the sort: Overflow, or the low bits.
    fn fit(self, value: BigInt) -> Result<BigInt, &'static str> {
        match self.range() {
            Some((low, high)) if self.signed && (value < low || value > high) => Err("Overflow"),
            Some((_, high)) if !self.signed => Ok(value & high),
            _ => Ok(value),
        }
    }

    /// A value of the sort: small, at a limit, around a power of two, or anything.
    fn value(self, random: &mut Random) -> BigInt {
        let bits = self.bits.unwrap_or(*random.pick(&[64, 65, 130, 400]));
        let (low, high) = self.range().unwrap_or_else(|| {
            let limit = BigInt::from(1) << bits;
            (-limit.clone(), limit)
        });
        let one = BigInt::from(1);
        let value = match random.below(6) {
            0 => BigInt::from(random.below(12) as i64 - 4),
            1 => low.clone() + random.below(3),
            2 => high.clone() - random.below(3),
            3 => (one << random.below(bits as usize + 1)) + BigInt::from(random.below(3) as i64 - 1),
            4 => -(one << random.below(bits as usize + 1)) + BigInt::from(random.below(3) as i64 - 1),
            _ => {
                let bytes: Vec<u8> = (0..bits.div_ceil(8)).map(|_| random.below(256) as u8).collect();
                BigInt::from_bytes_le(if random.below(2) == 0 { Sign::Plus } else { Sign::Minus }, &bytes)
                    >> random.below(bits as usize)
            }
        };
        value.clamp(low, high)
    }

    fn literal(self, value: &BigInt, random: &mut Random) -> String {
        let hex = random.below(3) == 0;
        let magnitude = if hex { value.magnitude().to_str_radix(16) } else { value.magnitude().to_string() };
        let sign = if value.sign() == Sign::Minus { "~" } else { "" };
        match (self.signed, hex) {
            (true, true) => format!("{sign}0x{magnitude}"),
            (true, false) => format!("{sign}{magnitude}"),
            (false, true) => format!("0wx{magnitude}"),
            (false, false) => format!("0w{magnitude}"),
        }
    }

    /// A value as an expression.
    fn operand(self, value: &BigInt, random: &mut Random) -> String {
        let literal = self.literal(value, random);
        match random.below(3) {
            0 => format!("({literal} : {})", self.ty()),
            1 => format!("(let val x : {} = {literal} in x end)", self.ty()),
            _ if self.signed => format!("(valOf ({}.fromString \"{}\"))", self.name, sml(value)),
            _ => format!("(valOf ({}.fromString \"{}\"))", self.name, value.magnitude().to_str_radix(16)),
        }
    }

    /// An expression that shows a value of the sort.
    fn show(self, exp: &str) -> String {
        if self.signed {
            format!("{}.toString ({exp})", self.name)
        } else {
            format!("IntInf.toString ({}.toLargeInt ({exp}))", self.name)
        }
    }
}

fn sml(value: &BigInt) -> String {
    value.to_string().replace('-', "~")
}

/// Quotient and remainder towards negative infinity.
fn floor(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (q, r) = (a / b, a % b);
    let other = r.sign() != Sign::NoSign && (r.sign() == Sign::Minus) != (b.sign() == Sign::Minus);
    if other { (q - 1, r + b) } else { (q, r) }
}

/// An operation on integers or words: an expression that shows its result, and the result.
fn integers(random: &mut Random) -> (String, Answer) {
    let sort = *random.pick(SORTS);
    let (a, b) = (sort.value(random), sort.value(random));
    let (x, y) = (sort.operand(&a, random), sort.operand(&b, random));
    let zero = b.sign() == Sign::NoSign;
    let show = |exp: String, value: Result<BigInt, &'static str>| (sort.show(&exp), value.map(|v| sml(&v)));
    let truth = |exp: String, value: bool| (format!("Bool.toString ({exp})"), Ok(value.to_string()));
    match random.below(18) {
        0 => show(format!("{x} + {y}"), sort.fit(&a + &b)),
        1 => show(format!("{x} - {y}"), sort.fit(&a - &b)),
        2 | 3 => show(format!("{x} * {y}"), sort.fit(&a * &b)),
        4 => show(format!("{x} div {y}"), if zero { Err("Div") } else { sort.fit(floor(&a, &b).0) }),
        5 => show(format!("{x} mod {y}"), if zero { Err("Div") } else { sort.fit(floor(&a, &b).1) }),
        6 if sort.signed => {
            show(format!("{}.quot ({x}, {y})", sort.name), if zero { Err("Div") } else { sort.fit(&a / &b) })
        }
        7 if sort.signed => {
            show(format!("{}.rem ({x}, {y})", sort.name), if zero { Err("Div") } else { sort.fit(&a % &b) })
        }
        8 if sort.signed => show(format!("abs {x}"), sort.fit(BigInt::from(a.magnitude().clone()))),
        9 => show(format!("~ {x}"), sort.fit(-&a)),
        10 => {
            let (op, value) =
                *random.pick(&[("<", a < b), ("<=", a <= b), (">", a > b), (">=", a >= b), ("=", a == b)]);
            truth(format!("{x} {op} {y}"), value)
        }
        11 => {
            let (op, value) = if random.below(2) == 0 { ("min", (&a).min(&b)) } else { ("max", (&a).max(&b)) };
            show(format!("{}.{op} ({x}, {y})", sort.name), Ok(value.clone()))
        }
        12 => {
            let literal = sort.literal(&b, random);
            let pattern = if random.below(2) == 0 { format!("({literal} : {})", sort.ty()) } else { literal };
            let same = random.below(2) == 0;
            let subject = if same { sort.operand(&b, random) } else { x };
            truth(format!("case {subject} : {} of {pattern} => true | _ => false", sort.ty()), same || a == b)
        }
        13 | 14 => {
            // To another sort, by way of IntInf.
            let other = *random.pick(SORTS);
            let large = format!("{}.{} {x}", sort.name, if sort.signed { "toLarge" } else { "toLargeInt" });
            let back = if other.signed { "fromLarge" } else { "fromLargeInt" };
            (other.show(&format!("{}.{back} ({large})", other.name)), other.fit(a).map(|v| sml(&v)))
        }
        15 if !sort.signed || sort.name == "IntInf" => {
            let (op, value) = match random.below(3) {
                0 => ("andb", &a & &b),
                1 => ("orb", &a | &b),
                _ => ("xorb", &a ^ &b),
            };
            show(format!("{}.{op} ({x}, {y})", sort.name), sort.fit(value))
        }
        16 if !sort.signed || sort.name == "IntInf" => {
            let by = random.below(sort.bits.unwrap_or(150) as usize + 10);
            let (op, value) = match random.below(3) {
                0 => ("<<", &a << by),
                1 if !sort.signed => (">>", &a >> by),
                1 | 2 if sort.signed => ("~>>", &a >> by),
                _ => {
                    let bits = sort.bits.unwrap_or(64);
                    let negative = a.bit(u64::from(bits) - 1);
                    ("~>>", (if negative { &a - (BigInt::from(1) << bits) } else { a.clone() }) >> by)
                }
            };
            show(format!("{}.{op} ({x}, 0w{by})", sort.name), sort.fit(value))
        }
        _ => {
            let (radix, base) = *random.pick(&[("BIN", 2), ("OCT", 8), ("DEC", 10), ("HEX", 16)]);
            let text = a.to_str_radix(base).to_uppercase().replace('-', "~");
            (format!("{}.fmt StringCvt.{radix} {x}", sort.name), Ok(text))
        }
    }
}

/// An operation on reals. Results are shown by their bits.
fn reals(random: &mut Random) -> (String, Answer) {
    let (x, a) = number(random);
    let (y, b) = number(random);
    let show = |exp: String, value: f64| {
        let bits = if value.is_nan() { "nan".to_string() } else { format!("{:X}", value.to_bits()) };
        (format!("bits ({exp})"), Ok(bits))
    };
    let truth = |exp: String, value: bool| (format!("Bool.toString ({exp})"), Ok(value.to_string()));
    match random.below(12) {
        0 => show(format!("{x} + {y}"), a + b),
        1 => show(format!("{x} - {y}"), a - b),
        2 => show(format!("{x} * {y}"), a * b),
        3 => show(format!("{x} / {y}"), a / b),
        4 => show(format!("~ {x}"), -a),
        5 => show(format!("Math.sqrt ({x})"), a.sqrt()),
        6 => {
            let (op, value) = *random.pick(&[("<", a < b), ("<=", a <= b), (">", a > b), (">=", a >= b)]);
            truth(format!("{x} {op} {y}"), value)
        }
        7 => truth(format!("Real.== ({x}, {y})"), a == b),
        8 => {
            let (function, value) = match random.below(4) {
                0 => ("floor", a.floor()),
                1 => ("ceil", a.ceil()),
                2 => ("trunc", a.trunc()),
                _ => ("round", a.round_ties_even()),
            };
            let answer = if value.is_nan() {
                Err("Domain")
            } else if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value) {
                Ok((value as i64).to_string().replace('-', "~"))
            } else {
                Err("Overflow")
            };
            (format!("Int.toString ({function} ({x}))"), answer)
        }
        9 => {
            let n = int("Int", 64).value(random);
            let operand = int("Int", 64).operand(&n, random);
            show(format!("real {operand}"), i64::try_from(n).unwrap_or(0) as f64)
        }
        10 => show(format!("real32 ({x})"), f64::from(a as f32)),
        _ => {
            // There and back as text.
            show(format!("valOf (Real.fromString (Real.fmt StringCvt.EXACT ({x})))"), a)
        }
    }
}

const PRELUDE: &str = r#"
fun bits x =
  if Real.isNan x then "nan"
  else Word64.fmt StringCvt.HEX
    (Word8Vector.foldl (fn (b, w) => Word64.orb (Word64.<< (w, 0w8), Word64.fromLarge (Word8.toLarge b))) 0w0 (PackReal64Big.toBytes x))
fun real32 x = Real32.toLarge (Real32.fromLarge IEEEReal.TO_NEAREST x)
fun test (n, f) =
  print (Int.toString n ^ " " ^ (f () handle Overflow => "Overflow" | Div => "Div" | Domain => "Domain" | e => exnName e) ^ "\n")
"#;

/// The program of a seed, and the lines that it must print.
fn program(seed: u64) -> (String, Vec<(String, String)>) {
    let mut random = Random::new(seed);
    let mut text = String::from(PRELUDE);
    let mut expected = Vec::new();
    for i in 0..OPERATIONS {
        let (exp, answer) = if random.below(3) == 0 { reals(&mut random) } else { integers(&mut random) };
        let _ = writeln!(text, "val () = test ({i}, fn () => {exp})");
        let answer = answer.unwrap_or_else(|exception| exception.to_string());
        expected.push((exp, format!("{i} {answer}")));
    }
    (text, expected)
}

#[test]
fn arithmetic() {
    let (count, first) = (setting("PROGRAMS", 12), setting("SEED", 1));
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("arithmetic.sml");
    let mut wrong = String::new();
    for seed in first..first + count {
        let (text, expected) = program(seed);
        fs::write(&file, &text).expect("written");
        for level in ["-O0", "-O1"] {
            let output = Command::new("timeout")
                .args(["60", LEAT, "run", level, "--verify=each"])
                .arg(&file)
                .stdin(Stdio::null())
                .output()
                .expect("leat runs");
            let stdout = String::from_utf8_lossy(&output.stdout);
            let mut lines = stdout.lines();
            for (exp, line) in &expected {
                let found = lines.next().unwrap_or("nothing");
                if found != line {
                    let _ = writeln!(wrong, "seed {seed} {level}: {exp}\n  is {line}, Leat says {found}");
                }
            }
            if !output.status.success() {
                let _ = writeln!(
                    wrong,
                    "seed {seed} {level}: {}\n{}",
                    output.status,
                    String::from_utf8_lossy(&output.stderr)
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.chars().take(6000).collect::<String>());
}
