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
            // To any system of the row, if it is here.
            let ratio_of = |system: &str, name: &str| {
                let (_, values) = results.systems.iter().find(|(other, _)| *other == system)?;
                let (_, other) = values.iter().find(|(other, _)| other == name)?;
                Some(median_ratio(samples, other))
            };
            let bar = workload
                .bars
                .iter()
                .find(|(bar, _)| {
                    bar == name || bar.strip_suffix(name.as_str()).is_some_and(|s| s.strip_suffix(": ") == Some(system))
                })
                .map(|(_, bar)| *bar);
            let own = system.starts_with("leat");
            let mut shown = ratio;
            let (bar_text, verdict) = match bar {
                Some(Bar::Of(peer, theirs, most)) if own => {
                    shown = ratio_of(peer, theirs);
                    let verdict = shown.map_or("", |r| if r <= most { "met" } else { "missed" });
                    (format!("{most} x {peer}'s {theirs}"), verdict)
                }
                Some(Bar::Ratio(most)) if own => {
                    (format!("{most} x"), ratio.map_or("", |r| if r <= most { "met" } else { "missed" }))
                }
                Some(Bar::Value(most)) if own => {
                    (format!("{most}"), if median(samples) <= most { "met" } else { "missed" })
                }
                Some(Bar::Either(value, most)) if own => {
                    let is_met = median(samples) <= value || ratio.is_some_and(|r| r <= most);
                    (format!("{value} or {most} x"), if is_met { "met" } else { "missed" })
                }
                _ => (String::new(), ""),
            };
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

/// Three significant digits or all of a whole number.
fn figure(value: f64) -> String {
    if value.abs() >= 100.0 || value == value.trunc() { format!("{value:.0}") } else { format!("{value:.2}") }
}
