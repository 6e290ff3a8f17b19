//! Samples to the figures that a table shows: quartiles, ratios, and whether two sets of samples differ.

/// The value that so much (0 to 1) of the samples do not exceed, between neighbours in proportion. NaN of nothing.
pub fn quantile(samples: &[f64], part: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = part * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

/// The median; the mean of the middle two of an even number.
pub fn median(samples: &[f64]) -> f64 {
    quantile(samples, 0.5)
}

pub fn geometric_mean(ratios: &[f64]) -> f64 {
    (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp()
}

/// Mann and Whitney's test, two-sided: how likely it is that two sets of samples differ so much by chance.
///
/// Exact without ties up to 20 samples each (the number of ways to a rank sum, counted); else by the normal
/// distribution, with the corrections for ties and for continuity. As Go's benchstat does.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len(), b.len());
    if n == 0 || m == 0 {
        return 1.0;
    }
    // U: how often one of `a` exceeds one of `b`; a tie counts half.
    let compare = |x: f64, y: f64| {
        if x > y {
            1.0
        } else if x == y {
            0.5
        } else {
            0.0
        }
    };
    let u: f64 = a.iter().map(|x| b.iter().map(|y| compare(*x, *y)).sum::<f64>()).sum();
    let mut all: Vec<f64> = a.iter().chain(b).copied().collect();
    all.sort_by(f64::total_cmp);
    let ties: Vec<f64> = all.chunk_by(|x, y| x == y).map(|chunk| chunk.len() as f64).collect();
    let has_ties = ties.iter().any(|t| *t > 1.0);
    if !has_ties && n <= 20 && m <= 20 {
        let ways = ways(n, m);
        let all: f64 = ways.iter().sum();
        let low = u.min((n * m) as f64 - u) as usize;
        return (2.0 * ways[..=low].iter().sum::<f64>() / all).min(1.0);
    }
    let (n, m) = (n as f64, m as f64);
    let total = n + m;
    let tied: f64 = ties.iter().map(|t| t * t * t - t).sum();
    let deviation = (n * m / 12.0 * (total + 1.0 - tied / (total * (total - 1.0)))).sqrt();
    if deviation == 0.0 {
        return 1.0;
    }
    let z = ((u - n * m / 2.0).abs() - 0.5).max(0.0) / deviation;
    erfc(z / std::f64::consts::SQRT_2).min(1.0)
}

/// How many of the orders of n and m samples have U = 0, 1, ..., n * m.
fn ways(n: usize, m: usize) -> Vec<f64> {
    // The largest of all is one of the n (and exceeds all m) or one of the m.
    let mut table = vec![vec![Vec::new(); m + 1]; n + 1];
    for i in 0..=n {
        for j in 0..=m {
            let mut counts = vec![0.0; i * j + 1];
            if i == 0 || j == 0 {
                counts[0] = 1.0;
            } else {
                let (with, without): (&Vec<f64>, &Vec<f64>) = (&table[i - 1][j], &table[i][j - 1]);
                with.iter().enumerate().for_each(|(u, w)| counts[u + j] += w);
                without.iter().enumerate().for_each(|(u, w)| counts[u] += w);
            }
            table[i][j] = counts;
        }
    }
    table.swap_remove(n).swap_remove(m)
}

/// The complementary error function, to 1e-7 (Abramowitz and Stegun 7.1.26).
fn erfc(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let poly =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    poly * (-x * x).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.25), 2.0);
        assert!(median(&[]).is_nan());
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
    }

    /// Values of the published tables of the test: 5 against 5 apart are 2 / 252; U = 2 of 5 and 5 is 0.0317.
    #[test]
    fn difference() {
        let p = mann_whitney(&[1.0, 2.0, 3.0, 4.0, 5.0], &[6.0, 7.0, 8.0, 9.0, 10.0]);
        assert!((p - 2.0 / 252.0).abs() < 1e-12, "{p}");
        let p = mann_whitney(&[1.0, 2.0, 3.0, 4.0, 7.5], &[6.0, 7.0, 8.0, 9.0, 10.0]);
        assert!((p - 0.031_746).abs() < 1e-5, "{p}");
        assert_eq!(mann_whitney(&[1.0, 1.0, 1.0], &[1.0, 1.0, 1.0]), 1.0);
        let p = mann_whitney(&[1.0, 1.0, 2.0, 2.0, 3.0, 3.0], &[7.0, 7.0, 8.0, 8.0, 9.0, 9.0]);
        assert!(p < 0.01, "{p}");
        assert!(mann_whitney(&[1.0, 3.0, 5.0, 7.0], &[2.0, 4.0, 6.0, 8.0]) > 0.5);
    }
}
