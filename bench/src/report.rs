//! The table of a workload: medians, ratios to the reference, bars.

use crate::run::Results;
use crate::stats::{median, median_ratio};
use crate::{Bar, Workload};

/// Prints a line for each measured name of each system.
pub fn print(workload: &Workload, results: &Results) {
    // Leat is no reference for itself.
    let reference = results.systems.first().filter(|(system, _)| !system.starts_with("leat"));
    for (i, (system, values)) in results.systems.iter().enumerate() {
        let against = workload.systems.iter().find(|s| s.name == *system).map_or(&[][..], |s| s.against);
        for (name, samples) in values {
            let theirs = against.iter().find(|(ours, _)| ours == name).map_or(name.as_str(), |(_, theirs)| theirs);
            let ratio = reference
                .filter(|_| i > 0)
                .and_then(|(_, values)| values.iter().find(|(other, _)| other == theirs))
                .map(|(_, other)| median_ratio(samples, other))
                .filter(|ratio| ratio.is_finite());
            let of = |system: &str, name: &str| {
                let (_, values) = results.systems.iter().find(|(other, _)| *other == system)?;
                values.iter().find(|(other, _)| other == name).map(|(_, other)| other)
            };
            let mut shown = ratio;
            let (mut texts, mut all_met) = (Vec::new(), None);
            let bars = workload.bars.iter().filter(|(bar, _)| {
                bar == name || bar.strip_suffix(name.as_str()).is_some_and(|s| s.strip_suffix(": ") == Some(system))
            });
            for (_, bar) in bars.filter(|_| system.starts_with("leat")) {
                let (text, is_met) = match *bar {
                    Bar::Ratio(most) => (format!("{most} x"), ratio.map(|r| r <= most)),
                    Bar::Value(most) => (format!("{most}"), Some(median(samples) <= most)),
                    Bar::Either(value, most) => {
                        let is_met = median(samples) <= value || ratio.is_some_and(|r| r <= most);
                        (format!("{value} or {most} x"), Some(is_met))
                    }
                    Bar::Of(peer, theirs, most) => {
                        shown = of(peer, theirs).map(|theirs| median_ratio(samples, theirs));
                        (format!("{most} x {peer}'s {theirs}"), shown.map(|r| r <= most))
                    }
                    Bar::OfOr(peer, most, value) => {
                        let ratio = of(peer, name).map(|theirs| {
                            let bar: Vec<f64> = theirs.iter().map(|t| (t * most).max(value)).collect();
                            median_ratio(samples, &bar)
                        });
                        (format!("{most:.2} x {peer} or {value:.0}"), ratio.map(|r| r <= 1.0))
                    }
                    Bar::Best(peers, most) => {
                        let there: Vec<_> = peers.iter().filter_map(|peer| of(peer, name)).collect();
                        let ratio = (!there.is_empty()).then(|| median_ratio(samples, &least(&there)));
                        let figure = ratio.map_or(String::new(), |r| format!(" ({r:.2})"));
                        (format!("{most} x {}{figure}", peers.join(" or ")), ratio.map(|r| r <= most))
                    }
                };
                texts.push(text);
                all_met = is_met.map(|is_met| is_met && all_met != Some(false)).or(all_met);
            }
            let bar_text = texts.join("; ");
            let verdict = all_met.map_or("", |met| if met { "met" } else { "missed" });
            let ratio = shown.map_or(String::new(), |r| format!("{r:.2}"));
            println!(
                "| {} | {name} | {system} | {} | {} | {ratio} | {bar_text} | {verdict} |",
                workload.row,
                figure(median(samples)),
                workload.unit
            );
        }
    }
}

/// The least of each round.
fn least(systems: &[&Vec<f64>]) -> Vec<f64> {
    let rounds = systems.iter().map(|samples| samples.len()).min().unwrap_or(0);
    (0..rounds).map(|round| systems.iter().map(|samples| samples[round]).fold(f64::INFINITY, f64::min)).collect()
}

/// Three significant digits or all of a whole number.
fn figure(value: f64) -> String {
    if value.abs() >= 100.0 || value == value.trunc() { format!("{value:.0}") } else { format!("{value:.2}") }
}
