//! Digits of a large constant -> its words, least first, in time below the square of their number.
//!
//! Decimal digits are read 19 at a time, each group a word; then neighbours are joined, `low + high * 10^(19 n)`, until
//! one number is left.

/// The magnitude of hexadecimal digits (`radix` 16) or decimal ones (10), without leading zeros.
pub fn words(digits: &str, radix: u32) -> Vec<u64> {
    let value = |group: &[u8]| {
        group.iter().fold(0, |v, &d| v * u64::from(radix) + u64::from(char::from(d).to_digit(radix).unwrap_or(0)))
    };
    let group = if radix == 16 { 16 } else { 19 };
    let words: Vec<u64> = digits.as_bytes().rchunks(group).map(value).collect();
    let mut number = if radix == 16 { words } else { joined(words) };
    trim(&mut number);
    number
}

/// Groups of 19 decimal digits, least first -> the number.
fn joined(groups: Vec<u64>) -> Vec<u64> {
    let mut numbers: Vec<Vec<u64>> = groups.into_iter().map(|group| vec![group]).collect();
    // What the higher one of two neighbours counts.
    let mut unit = vec![10u64.pow(19)];
    while numbers.len() > 1 {
        let join = |pair: &[Vec<u64>]| match pair {
            [low, high] => {
                let mut sum = product(high, &unit);
                sum.resize(sum.len().max(low.len()) + 1, 0);
                leat_words::add(&mut sum, low);
                trim(&mut sum);
                sum
            }
            rest => rest.concat(),
        };
        numbers = numbers.chunks(2).map(join).collect();
        if numbers.len() > 1 {
            unit = product(&unit, &unit);
            trim(&mut unit);
        }
    }
    numbers.pop().unwrap_or_default()
}

fn trim(number: &mut Vec<u64>) {
    while number.last() == Some(&0) {
        number.pop();
    }
}

/// The product, of as many words as both have.
fn product(a: &[u64], b: &[u64]) -> Vec<u64> {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut out = vec![0; a.len() + b.len()];
    leat_words::product(&mut out, a, b, &mut vec![0; leat_words::room(b.len())]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As it was made before: digit after digit.
    fn slowly(digits: &str, radix: u64) -> Vec<u64> {
        let mut words: Vec<u64> = vec![];
        for digit in digits.bytes() {
            let mut carry = u128::from(char::from(digit).to_digit(16).unwrap());
            for word in &mut words {
                let sum = u128::from(*word) * u128::from(radix) + carry;
                *word = sum as u64;
                carry = sum >> 64;
            }
            if carry != 0 {
                words.push(carry as u64);
            }
        }
        words
    }

    /// A constant of a million digits once took eleven seconds.
    #[test]
    fn digits_are_read_as_one_by_one() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        for length in (1..60).chain([76, 77, 600, 1_217, 2_500, 9_999, 20_000]) {
            for (radix, kind) in [(10, 0), (10, 1), (10, 2), (16, 0)] {
                let digits: String = (0..length)
                    .map(|place| match kind {
                        0 => char::from_digit((random() % u64::from(radix)) as u32, radix).unwrap(),
                        1 => '9',
                        _ if place == 0 => '1',
                        _ => '0',
                    })
                    .collect();
                assert_eq!(words(&digits, radix), slowly(&digits, u64::from(radix)), "{radix}: {digits}");
            }
        }
    }
}
