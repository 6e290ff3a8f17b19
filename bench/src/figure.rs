//! A number and its unit as text: three digits, and the unit of its size.

/// 1234567 ns -> 1.23 ms.
pub fn text(value: f64, unit: &str) -> String {
    if value.is_nan() {
        return "none".into();
    }
    let (value, unit) = scaled(value, unit);
    of(number(value), unit)
}

fn of(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {unit}") }
}

/// ` at 1,058`: the size of a figure that has one.
pub fn at(x: Option<f64>) -> String {
    x.map_or(String::new(), |x| format!(" at {}", number(x)))
}

/// What a document says, with all of its digits: 21975000 ns -> 21.975 ms.
pub fn published(value: f64, unit: &str) -> String {
    let (value, unit) = scaled(value, unit);
    // As many as a document may have; more come from the division.
    of(if value.abs() >= 1000.0 { number(value) } else { trimmed(format!("{value:.5}")) }, unit)
}

/// Times in nanoseconds and memory in bytes or KB, in the unit that keeps the number between 1 and 1000.
fn scaled(value: f64, unit: &str) -> (f64, &str) {
    let ladder: &[(&str, f64)] = match unit {
        "ns" => &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)],
        "bytes" => &[("bytes", 1.0), ("KB", 1024.0), ("MB", 1024.0 * 1024.0), ("GB", 1024.0 * 1024.0 * 1024.0)],
        "KB" => &[("KB", 1.0), ("MB", 1024.0), ("GB", 1024.0 * 1024.0)],
        "us" => &[("us", 1.0), ("ms", 1e3), ("s", 1e6)],
        "ms" => &[("ms", 1.0), ("s", 1e3)],
        _ => return (value, unit),
    };
    // Below the next one: 999.6 ns are 1 us.
    let at = ladder.iter().rposition(|(_, size)| value.abs() >= size * 0.9995).unwrap_or(0);
    (value / ladder[at].1, ladder[at].0)
}

/// Three digits, or all of a number of more before the point; what is beyond 1e-9 and 1e15 with a power of ten.
pub fn number(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => "-".to_string(),
        0.0 => "0".to_string(),
        a if !(1e-9..1e15).contains(&a) => format!("{value:.2e}"),
        a if a >= 100.0 => grouped(&format!("{value:.0}")),
        a if a >= 10.0 => trimmed(format!("{value:.1}")),
        a if a >= 1.0 => trimmed(format!("{value:.2}")),
        a => {
            // Two more digits than zeros behind the point.
            let digits = (2.0 - a.log10().floor()).clamp(0.0, 9.0) as usize;
            trimmed(format!("{value:.digits$}"))
        }
    }
}

fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// 1234567 -> 1,234,567.
fn grouped(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{sign}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        let texts = [(1_234_567.0, "ns"), (0.5, "ns"), (99.96, "ns"), (2048.0, "KB"), (83898.0, ""), (0.0123, "x")];
        let texts: Vec<String> = texts.iter().map(|(value, unit)| text(*value, unit)).collect();
        assert_eq!(texts, ["1.23 ms", "0.5 ns", "100 ns", "2 MB", "83,898", "0.0123 x"]);
        assert_eq!(text(999.7, "ns"), "1 us");
        // A document's 21,975 us and 252.9 ms could not be found in the report.
        let texts = [(21_975e3, "ns"), (252.9e6, "ns"), (5.2e6, "ns"), (25.0, "%"), (1e3, "ns"), (83_898.0, "")];
        let texts: Vec<String> = texts.iter().map(|(value, unit)| published(*value, unit)).collect();
        assert_eq!(texts, ["21.975 ms", "252.9 ms", "5.2 ms", "25 %", "1 us", "83,898"]);
        // A peer printed 1e300, and the table had 300 digits.
        assert_eq!([1e300, -2.5e-12, 1e14].map(number), ["1.00e300", "-2.50e-12", "100,000,000,000,000"]);
    }
}
