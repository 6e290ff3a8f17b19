//! Bars -> verdicts: which figures of Leat keep what the project promises, and by how much.

use crate::record::Results;
use crate::stats::median;
use crate::table::{Bar, Name, Row, is_leat};

pub struct Verdict {
    pub system: String,
    pub x: Option<f64>,
    pub name: String,
    /// Leat's median.
    pub value: f64,
    /// Its ratio to what the bar compares it with.
    pub ratio: Option<f64>,
    /// The bar in words.
    pub bar: String,
    /// Not known where what it is compared with is not there.
    pub met: Option<bool>,
}

/// All bars of a row at all of its figures.
pub fn verdicts(row: &Row, results: &Results) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for bar in row.bars.iter().filter(|bar| bar.runs) {
        verdicts.extend(row.systems.iter().filter(|system| is_leat(system)).filter_map(|s| runs(row, results, bar, s)));
    }
    for bar in row.bars.iter().filter(|bar| !bar.runs) {
        for figure in results.figures.iter().filter(|f| f.row == row.id && f.name == bar.name && is_leat(&f.system)) {
            let is_meant = (bar.system.is_empty() || bar.system == figure.system)
                && (bar.x.is_empty() || figure.x.is_some_and(|x| bar.x.contains(&x)));
            if let Some(name) = row.name(&bar.name).filter(|_| is_meant) {
                verdicts.push(verdict(row, results, bar, name, &figure.system, figure.x, &figure.samples));
            }
        }
    }
    verdicts
}

/// Whether a system has given the figure at all sizes that it is measured at, if the row was measured.
fn runs(row: &Row, results: &Results, bar: &Bar, system: &str) -> Option<Verdict> {
    let of_row = || results.figures.iter().filter(|f| f.row == row.id && f.name == bar.name);
    of_row().next()?;
    let most = row.ways.iter().find(|way| way.name == system).and_then(|way| way.up_to);
    let wanted: Vec<Option<f64>> = of_row().map(|f| f.x).filter(|x| most.is_none() || *x <= most).collect();
    let given = |x: &Option<f64>| results.samples(&row.id, system, &bar.name, *x).is_some();
    Some(Verdict {
        system: system.to_string(),
        x: None,
        name: bar.name.clone(),
        value: f64::NAN,
        ratio: None,
        bar: "runs at each size".into(),
        met: Some(wanted.iter().all(given)),
    })
}

fn verdict(
    row: &Row,
    results: &Results,
    bar: &Bar,
    name: &Name,
    system: &str,
    x: Option<f64>,
    samples: &[f64],
) -> Verdict {
    let value = median(samples);
    let keeps = |ours: f64, limit: f64| if name.more_is_better { ours >= limit } else { ours <= limit };
    let most = if name.more_is_better { "at least" } else { "at most" };
    let (mut texts, mut met, mut ratio) = (Vec::new(), Vec::new(), None);
    if let Some(limit) = bar.value {
        let limit = if bar.over_x { limit / x.unwrap_or(1.0) } else { limit };
        let own = bar.least.as_ref().and_then(|least| {
            let samples = results.samples(&least.row, system, &bar.name, x)?;
            Some(least.ratio * median(samples))
        });
        let limit = own.map_or(limit, |own| limit.max(own));
        texts.push(format!("{most} {}", crate::figure::text(limit, &name.unit)));
        met.push(keeps(value, limit));
    }
    if let Some(limit) = bar.ratio {
        let of = if bar.of.is_empty() { &bar.name } else { &bar.of };
        let at = bar.of_x.or(x);
        let theirs = |peer: &String| results.samples(&row.id, peer, of, at).map(median);
        let what = if bar.of.is_empty() { String::new() } else { format!("'s {of}") };
        let against = match (&bar.to, &bar.best) {
            (_, best) if !best.is_empty() => {
                texts.push(format!("{most} {limit} of the best of {}{what}", best.join(", ")));
                let better = if name.more_is_better { f64::max } else { f64::min };
                best.iter().filter_map(theirs).reduce(better)
            }
            (to, _) => {
                let to = if to.is_empty() { &row.systems[0] } else { to };
                let at = bar.of_x.map_or(String::new(), |x| format!(" at {x}"));
                texts.push(format!("{most} {limit} of {to}{what}{at}"));
                theirs(to)
            }
        };
        ratio = against.map(|theirs| value / theirs).filter(|ratio| ratio.is_finite());
        met.extend(ratio.map(|ratio| keeps(ratio, limit)));
    }
    let missed = met.contains(&false);
    // A value that is kept says nothing where the ratio that must be kept too is not known.
    let known = bar.ratio.is_none() || ratio.is_some();
    let met = if missed { Some(false) } else { (known && !met.is_empty()).then_some(true) };
    Verdict { system: system.to_string(), x, name: name.name.clone(), value, ratio, bar: texts.join(", and "), met }
}

/// Leat's ratio to the reference: the row's first system, if that is not Leat itself.
pub fn to_reference(row: &Row, results: &Results, system: &str, name: &str, x: Option<f64>) -> Option<f64> {
    let reference = row.systems.first().filter(|first| !is_leat(first) && *first != system)?;
    let theirs = results.samples(&row.id, reference, name, x)?;
    let ratio = median(results.samples(&row.id, system, name, x)?) / median(theirs);
    ratio.is_finite().then_some(ratio)
}

/// The peer with the best median, and Leat's ratio to it. C is a reference, no peer.
pub fn to_best_peer(row: &Row, results: &Results, system: &str, name: &Name, x: Option<f64>) -> Option<(String, f64)> {
    let ours = results.samples(&row.id, system, &name.name, x)?;
    let is_reference = |peer: &str| peer.strip_prefix('C').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let peers = row.systems.iter().filter(|peer| !is_leat(peer) && !is_reference(peer));
    let there = peers.filter_map(|peer| Some((peer, results.samples(&row.id, peer, &name.name, x)?)));
    let sign = if name.more_is_better { -1.0 } else { 1.0 };
    let (peer, theirs) = there.min_by(|a, b| (sign * median(a.1)).total_cmp(&(sign * median(b.1))))?;
    let ratio = median(ours) / median(theirs);
    ratio.is_finite().then(|| (peer.clone(), ratio))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Figure, Line};

    /// E2 may take as long as its delay asks for, or 1.43 of what E1 takes, whichever is more; the bar knew of the
    /// delay only, and asked for 17 ns a message.
    #[test]
    fn a_bar_is_at_least_what_another_row_allows() {
        let row: Row = toml::from_str(
            "id = 'E2'\ntitle = 'T'\nsystems = ['leat']\nnames = [{name = 'message', unit = 'ns'}]\n\
             how = 'h'\nmeans = 'm'\n\
             bars = [{name = 'message', value = 1000, over_x = true, least = {row = 'E1', ratio = 1.43}}]",
        )
        .unwrap();
        let mut results = Results::default();
        for (row, x, value) in [("E1", 10.0, 100.0), ("E2", 10.0, 140.0), ("E2", 5.0, 201.0)] {
            results.add(Line::Figure(Figure {
                row: row.into(),
                system: "leat".into(),
                name: "message".into(),
                x: Some(x),
                samples: vec![value],
                ..Figure::default()
            }));
        }
        let found: Vec<_> = verdicts(&row, &results).into_iter().map(|v| (v.bar, v.met)).collect();
        let expected = [("at most 143 ns", Some(true)), ("at most 200 ns", Some(false))];
        assert_eq!(found, expected.map(|(bar, met)| (bar.to_string(), met)));
    }

    fn row_of(bar: &str) -> Row {
        toml::from_str(&format!(
            "id = 'A1'\ntitle = 'T'\nsystems = ['C', 'leat']\nnames = [{{name = 'time', unit = 'ns'}}]\n\
             how = 'h'\nmeans = 'm'\nbars = [{bar}]"
        ))
        .unwrap()
    }

    fn results_of(figures: &[(&str, Option<f64>, &[f64])]) -> Results {
        let mut results = Results::default();
        for (system, x, samples) in figures {
            results.add(Line::Figure(Figure {
                row: "A1".into(),
                system: system.to_string(),
                name: "time".into(),
                x: *x,
                samples: samples.to_vec(),
                ..Figure::default()
            }));
        }
        results
    }

    /// Bars of 22 figures were met if one of two halves was; the page of the workloads says "and".
    #[test]
    fn both_halves_of_a_bar_must_be_kept() {
        let row = row_of("{name = 'time', value = 100, ratio = 2.0}");
        for (ours, met) in [(90.0, Some(true)), (110.0, Some(false)), (210.0, Some(false))] {
            let results = results_of(&[("C", None, &[100.0]), ("leat", None, &[ours])]);
            assert_eq!(verdicts(&row, &results)[0].met, met, "{ours}");
        }
        // Nothing to compare with: a value that is kept is half of it.
        for (ours, met) in [(90.0, None), (110.0, Some(false))] {
            assert_eq!(verdicts(&row, &results_of(&[("leat", None, &[ours])]))[0].met, met, "{ours}");
        }
    }

    /// The ratios of the rounds are 0.5, 1.5, 1.5; the medians that the table shows are 15 and 20.
    #[test]
    fn the_medians_decide() {
        let row = row_of("{name = 'time', ratio = 1.0}");
        let results = results_of(&[("C", None, &[20.0, 10.0, 40.0]), ("leat", None, &[10.0, 15.0, 60.0])]);
        let verdict = &verdicts(&row, &results)[0];
        assert_eq!((verdict.ratio, verdict.met), (Some(0.75), Some(true)));
    }

    #[test]
    fn a_system_that_fails_at_a_size_does_not_run() {
        let row = row_of("{name = 'time', runs = true}");
        let all = [("leat", Some(1.0), &[1.0][..]), ("C", Some(1.0), &[1.0]), ("C", Some(2.0), &[1.0])];
        assert_eq!(verdicts(&row, &results_of(&all))[0].met, Some(false));
        assert_eq!(verdicts(&row, &results_of(&all[..2]))[0].met, Some(true));
        assert!(verdicts(&row, &Results::default()).is_empty());
    }
}
