//! What programs printed -> values of a row's names, and the points of a series.

use crate::process::Done;
use crate::record::Series;
use crate::table::{Measure, PlotKind, Row, System};

/// Points of a series that are kept; above, neighbours share one.
const POINTS: usize = 1200;

/// Whether a program printed what it must; else its first line that is another one.
pub fn same(output: &str, expected: &str) -> Result<(), String> {
    if output == expected {
        return Ok(());
    }
    let (mut found, mut wanted) = (output.split_inclusive('\n'), expected.split_inclusive('\n'));
    for number in 1.. {
        let (ours, theirs) = (found.next(), wanted.next());
        if ours != theirs {
            let short = |line: Option<&str>| match line {
                None => "no more".to_string(),
                Some(line) => format!("`{}`", line.trim_end().chars().take(60).collect::<String>()),
            };
            return Err(format!("printed {} and not {} in line {number}", short(ours), short(theirs)));
        }
    }
    Ok(())
}

/// In the order of the row's names; what was not printed is not there.
pub type Values = Vec<Option<f64>>;

/// What one process gave, and the names that it printed and the row does not have.
pub fn values(row: &Row, system: &System, done: &Done, n: Option<f64>) -> Result<(Values, Vec<String>), String> {
    let mut values = vec![None; row.names.len()];
    let mut unknown = Vec::new();
    let place = |name: &str| row.names.iter().position(|n| n.name == name);
    if system.measure == Measure::Process {
        values[0] = Some(done.wall);
    } else {
        for (name, value) in printed(&done.output)? {
            let name = system.rename.get(name).map_or(name, String::as_str);
            match place(name) {
                Some(i) => values[i] = Some(value),
                None if unknown.len() < 10 => unknown.push(name.chars().take(40).collect()),
                None => {}
            }
        }
        if let Some(mean) = place("geometric-mean") {
            let all: Option<Vec<f64>> =
                values.iter().enumerate().filter(|(i, _)| *i != mean).map(|(_, v)| v.filter(|v| *v > 0.0)).collect();
            values[mean] = all.map(|all| crate::stats::geometric_mean(&all));
        }
        if values.iter().all(Option::is_none) {
            let names: Vec<&str> = row.names.iter().map(|n| n.name.as_str()).collect();
            return Err(format!("printed none of {}", names.join(", ")));
        }
    }
    if system.measure != Measure::Prints {
        if let Some(i) = place("cpu") {
            values[i] = Some(done.cpu * 1e9 / n.unwrap_or(1.0));
        }
        if let Some(i) = place("resident") {
            values[i] = Some(done.resident);
        }
    }
    Ok((values, unknown))
}

/// The names of a row that a system's program should have printed itself.
pub fn expected<'a>(row: &'a Row, system: &'a System) -> impl Iterator<Item = (usize, &'a str)> {
    let of_series =
        |name: &str| row.plots.iter().any(|plot| plot.kind == PlotKind::Dots && plot.names.iter().any(|n| n == name));
    let of_lab = |name: &str| matches!(name, "geometric-mean" | "cpu" | "resident");
    let names = row.names.iter().map(|name| name.name.as_str()).enumerate();
    names.filter(move |(_, name)| {
        let is_meant = system.prints.is_empty() || system.prints.iter().any(|n| n == name);
        system.measure != Measure::Process && is_meant && !of_lab(name) && !of_series(name)
    })
}

/// Processes that shared x and n: the slowest one's time a message is that of n / processes messages; CPU time is a
/// mean; memory adds up.
pub fn together(row: &Row, each: Vec<Values>) -> Values {
    let count = each.len() as f64;
    let column = |i: usize| each.iter().map(move |values| values[i]);
    row.names
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let all: Option<Vec<f64>> = column(i).collect();
            all.map(|all| match name.name.as_str() {
                _ if count == 1.0 => all[0],
                "resident" => all.iter().sum(),
                "cpu" => all.iter().sum::<f64>() / count,
                _ => all.iter().copied().fold(0.0, f64::max) / count,
            })
        })
        .collect()
}

/// Lines `name value`; a line of another form is nonsense.
fn printed(text: &str) -> Result<Vec<(&str, f64)>, String> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let short = || format!("printed `{}`, which is no figure", line.chars().take(60).collect::<String>());
            let (name, value) = line.trim().split_once(' ').ok_or_else(short)?;
            // SML writes a minus as `~`.
            let value: f64 = value.trim().replace('~', "-").parse().map_err(|_| short())?;
            if value.is_finite() { Ok((name, value)) } else { Err(short()) }
        })
        .collect()
}

/// Lines `name index value` and `mark name index words`.
pub fn points(row: &Row, system: &System, text: &str) -> Result<Vec<Series>, String> {
    let mut all: Vec<Series> = Vec::new();
    let mut marks: Vec<(&str, f64, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let short = || format!("printed `{}`, which is no point", line.chars().take(60).collect::<String>());
        let words: Vec<&str> = line.split_whitespace().collect();
        let number =
            |word: &str| word.replace('~', "-").parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(short);
        match words[..] {
            ["mark", name, index, ..] => marks.push((name, number(index)?, words[3..].join(" "))),
            [name, index, value] => {
                let point = (number(index)?, number(value)?);
                let at = all.iter().position(|s| s.name == name).unwrap_or_else(|| {
                    all.push(Series {
                        row: row.id.clone(),
                        system: system.name.clone(),
                        name: name.to_string(),
                        unit: row.name(name).map_or(String::new(), |n| n.unit.clone()),
                        ..Series::default()
                    });
                    all.len() - 1
                });
                all[at].points.push((point.0, point.1, point.1));
            }
            _ => return Err(short()),
        }
    }
    for (name, index, cause) in marks {
        let Some(series) = all.iter_mut().find(|s| s.name == name) else { continue };
        let value = series.points.iter().find(|p| p.0 == index).map(|p| p.1);
        series.marks.extend(value.map(|value| (index, value, cause)));
    }
    for series in &mut all {
        series.count = series.points.len();
        series.points = thinned(&series.points);
        // The highest: the rest would hide the drawing.
        series.marks.sort_by(|a, b| b.1.total_cmp(&a.1));
        series.marks.truncate(40);
    }
    if all.is_empty() { Err("printed no point".to_string()) } else { Ok(all) }
}

/// Neighbours in one: the median, and the largest, so that no spike is lost.
fn thinned(points: &[(f64, f64, f64)]) -> Vec<(f64, f64, f64)> {
    let size = points.len().div_ceil(POINTS).max(1);
    points
        .chunks(size)
        .map(|chunk| {
            let values: Vec<f64> = chunk.iter().map(|p| p.1).collect();
            (chunk[0].0, crate::stats::median(&values), values.iter().copied().fold(f64::MIN, f64::max))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_and_nonsense() {
        assert_eq!(printed("a 1\nb-c 2.5\n\nd ~3\n").unwrap(), [("a", 1.0), ("b-c", 2.5), ("d", -3.0)]);
        assert!(printed("hello\n").unwrap_err().contains("`hello`"));
        assert!(printed("a nan\n").is_err());
        assert!(printed("Segmentation fault\n").is_err());
    }

    /// A system that is fast and wrong has no figure.
    #[test]
    fn what_must_be_printed() {
        assert_eq!(same("a\nb\n", "a\nb\n"), Ok(()));
        assert_eq!(same("a\nc\n", "a\nb\n").unwrap_err(), "printed `c` and not `b` in line 2");
        assert_eq!(same("a\n", "a\nb\n").unwrap_err(), "printed no more and not `b` in line 2");
        assert_eq!(same("a\nb\n", "a\n").unwrap_err(), "printed `b` and not no more in line 2");
    }

    /// A spike among a million points is still there.
    #[test]
    fn no_spike_is_lost() {
        let mut points: Vec<(f64, f64, f64)> = (0..1_000_000).map(|i| (f64::from(i), 1.0, 1.0)).collect();
        points[777_777] = (777_777.0, 500.0, 500.0);
        let thin = thinned(&points);
        assert!(thin.len() <= POINTS);
        assert!(thin.iter().any(|p| p.2 == 500.0 && p.1 == 1.0));
    }
}
