//! A seed -> random numbers, and real constants with their values.

use leat_random::Random;

/// An expression of type real, and its value by Rust's reading of the same text.
pub fn number(random: &mut Random) -> (String, f64) {
    let text = match random.below(8) {
        0 => random
            .pick(&["0.0", "1.0", "0.5", "1.5", "2.5", "0.1", "1e23", "4503599627370497.5", "9223372036854775807.0"])
            .to_string(),
        1 => random
            .pick(&[
                "2.2250738585072011e-308",
                "2.2250738585072014e-308",
                "4.9e-324",
                "2.4e-324",
                "1.7976931348623157e308",
                "9007199254740993.0",
                "1.00000000000000011102230246251565",
            ])
            .to_string(),
        2 => format!("{}.5", random.below(100)),
        _ => {
            let digits: String = (0..1 + random.below(20)).map(|_| char::from(b'0' + random.below(10) as u8)).collect();
            let fraction: String =
                (0..1 + random.below(20)).map(|_| char::from(b'0' + random.below(10) as u8)).collect();
            let exponent = random.below(40) as i64 - 20;
            if random.below(2) == 0 {
                format!("{digits}.{fraction}")
            } else {
                format!("{digits}.{fraction}e{exponent}")
            }
        }
    };
    let negative = random.below(3) == 0;
    let value: f64 = text.parse().expect("a number");
    let sign = if negative { "~" } else { "" };
    let constant = format!("{sign}{}", text.replace("e-", "e~"));
    let exp = match random.below(3) {
        0 => format!("({constant} : real)"),
        1 => constant.clone(),
        _ => format!("valOf (Real.fromString \"{constant}\")"),
    };
    (format!("({exp})"), if negative { -value } else { value })
}
