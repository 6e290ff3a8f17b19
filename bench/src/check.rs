//! A row as it was read -> whether a run can do anything with it; or the reason why not, in words.
//!
//! What is refused here panicked, never ended, or was silently without effect: a bar at a size that the row does not
//! have was never missed.

use std::collections::BTreeSet;

use crate::table::{Bar, Count, Document, MOST_SIZES, Measure, Plot, PlotKind, Row, Sweep, System, is_leat};

/// Most seconds of a run or a build: a day.
const MOST_SECONDS: u64 = 86_400;
/// Most runs in a round, or first rounds that do not count.
const MOST_TIMES: usize = 10_000;

type Check = Result<(), String>;

fn need(holds: bool, otherwise: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The first that stands twice.
fn twice<'a>(all: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = BTreeSet::new();
    all.into_iter().find(|one| !seen.insert(*one))
}

/// The systems of a folder.
pub fn systems(all: &[System]) -> Check {
    let same = twice(all.iter().map(System::key));
    need(same.is_none(), || format!("there are two systems {}; a `key` tells them apart", same.unwrap_or("")))?;
    for system in all {
        let name = system.key();
        need(!name.trim().is_empty(), || "there is a system without a name".to_string())?;
        need(!is_blank(&system.run), || format!("system {name}: its `run` is blank"))?;
        // No shell reads a command. `env 'A=--x=1 --y=2' program` set two variables of strange names, and measured the
        // program without them.
        for line in [&system.build, &system.run] {
            let quoted = line.split_whitespace().find(|word| word.starts_with(['\'', '"']) || word.contains("='"));
            need(quoted.is_none(), || {
                format!("system {name}: words end at blanks, also in quotes: {}", quoted.unwrap_or(""))
            })?;
        }
        let up_to = system.up_to.unwrap_or(0.0);
        need(up_to.is_finite(), || format!("system {name}: `up_to` is no number"))?;
    }
    Ok(())
}

/// Text without a word; no text at all means something else.
fn is_blank(text: &str) -> bool {
    !text.is_empty() && text.trim().is_empty()
}

/// A row with its systems.
pub fn row(row: &Row) -> Check {
    need(!row.systems.is_empty(), || "it has no system".to_string())?;
    let same = twice(row.systems.iter().map(String::as_str));
    need(same.is_none(), || format!("system {} stands twice in it", same.unwrap_or("")))?;
    need(!row.names.is_empty(), || "it has no names, so it would measure nothing".to_string())?;
    let same = twice(row.names.iter().map(|name| name.name.as_str()));
    need(same.is_none(), || format!("name {} stands twice in it", same.unwrap_or("")))?;
    for (field, seconds) in [("seconds", row.seconds), ("build_seconds", row.build_seconds)] {
        let holds = (1..=MOST_SECONDS).contains(&seconds);
        need(holds, || format!("`{field}` is {seconds}, and must be from 1 to {MOST_SECONDS}"))?;
    }
    need((1..=MOST_TIMES).contains(&row.times), || {
        format!("`times` is {}, and must be from 1 to {MOST_TIMES}", row.times)
    })?;
    need(row.warm <= MOST_TIMES, || format!("`warm` is {}, and must be {MOST_TIMES} at most", row.warm))?;
    need(!row.best || row.names.iter().all(|name| !name.more_is_better), || {
        "`best` is the least of its runs, and more is better in one of its names".to_string()
    })?;
    row.x.as_ref().map_or(Ok(()), sweep)?;
    row.n.as_ref().map_or(Ok(()), count)?;
    row.bars.iter().try_for_each(|one| bar(row, one))?;
    row.plots.iter().try_for_each(|one| plot(row, one))?;
    for series in &row.series {
        need(!series.run.trim().is_empty(), || format!("the series of {} has no `run`", series.system))?;
        has_system(row, "a series", &series.system)?;
    }
    for published in &row.published {
        let names = published.values.keys().chain(published.points.keys());
        names.into_iter().try_for_each(|name| has_name(row, &format!("published, {}", published.system), name))?;
    }
    Ok(())
}

fn has_name(row: &Row, what: &str, name: &str) -> Check {
    need(row.name(name).is_some(), || format!("{what} is about {name}, which is not among its names"))
}

fn has_system(row: &Row, what: &str, system: &str) -> Check {
    need(row.systems.iter().any(|s| s == system), || {
        format!("{what} is about {system}, which is not among its systems")
    })
}

fn sweep(x: &Sweep) -> Check {
    let numbers = [x.from, x.factor, x.to];
    if x.values.is_empty() {
        let [from, factor, to] = numbers;
        need(numbers != [0.0; 3], || "x has no values".to_string())?;
        let holds = numbers.iter().all(|n| n.is_finite()) && from > 0.0 && factor > 1.0 && to >= from;
        need(holds, || format!("x from {from} by {factor} to {to} is no series"))?;
        // Values are rounded down.
        let grows = to == from || (from * factor).floor() > from;
        need(grows, || format!("x stays at {from} for ever: by {factor}, rounded down, it does not grow"))?;
    } else {
        need(numbers == [0.0; 3], || {
            "x has `values` and a series `from`, `factor`, `to`: one of them is meant".to_string()
        })?;
    }
    let all = x.all();
    need(all.len() <= MOST_SIZES, || format!("x has more than {MOST_SIZES} values"))?;
    need(!x.quick.is_empty(), || "x has no values for --quick".to_string())?;
    for values in [&all, &x.quick] {
        let bad = values.iter().find(|v| !v.is_finite() || **v < 0.0);
        need(bad.is_none(), || format!("{} is no size", bad.unwrap_or(&0.0)))?;
        let same = (1..values.len()).find(|i| values[..*i].contains(&values[*i]));
        need(same.is_none(), || format!("size {} stands twice in x", same.map_or(0.0, |i| values[i])))?;
    }
    Ok(())
}

fn count(n: &Count) -> Check {
    let holds = [n.per_x, n.least, n.most, n.each].iter().all(|v| v.is_finite() && *v >= 0.0);
    need(holds, || "n has a field that is no number from 0 on".to_string())?;
    need(n.least <= n.most, || format!("n is at least {} and at most {}", n.least, n.most))?;
    need(n.quick > 0.0 && n.quick <= 1.0, || format!("n's `quick` is {}, and must be a share of at most 1", n.quick))
}

fn bar(row: &Row, bar: &Bar) -> Check {
    let what = format!("a bar of {}", bar.name);
    has_name(row, "a bar", &bar.name)?;
    if !bar.of.is_empty() {
        has_name(row, &what, &bar.of)?;
    }
    let named = bar.best.iter().chain([&bar.system, &bar.to]).filter(|name| !name.is_empty());
    named.into_iter().try_for_each(|name| has_system(row, &what, name))?;
    gives(row, bar, &what)?;
    let ours = bar.system.is_empty() || is_leat(&bar.system);
    need(ours, || format!("{what} is for {}, which is no system of Leat", bar.system))?;
    let is_one = bar.ratio.is_some() || bar.value.is_some();
    need(is_one || bar.runs, || format!("{what} has neither `ratio` nor `value`"))?;
    need(!(is_one && bar.runs), || format!("{what} has `runs` and a figure"))?;
    let ratio = bar.ratio.unwrap_or(1.0);
    need(ratio.is_finite() && ratio > 0.0, || format!("{what}: {ratio} is no ratio"))?;
    need(bar.value.unwrap_or(0.0).is_finite(), || format!("{what}: its value is no number"))?;
    let sizes = row.x.as_ref().map(Sweep::all).unwrap_or_default();
    for x in bar.x.iter().chain(&bar.of_x) {
        let known = || match &row.x {
            None => "the row has no sizes".to_string(),
            Some(_) => {
                let near = sizes.iter().min_by(|a, b| (*a - x).abs().total_cmp(&(*b - x).abs()));
                format!("the nearest that the row has is {}", near.unwrap_or(&0.0))
            }
        };
        need(sizes.contains(x), || format!("{what} is at {x}, which is not among its sizes: {}", known()))?;
    }
    need(bar.least.is_none() || bar.value.is_some(), || format!("{what} has `least` and no `value`"))?;
    need(!bar.over_x || row.x.is_some(), || format!("{what} is divided by x, and the row has none"))
}

/// Whether the programs print what a bar is about, and what it compares that with: else it had no verdict.
fn gives(row: &Row, bar: &Bar, what: &str) -> Check {
    let prints = |system: &System, name: &str| {
        let of_lab = system.measure == Measure::Usage && matches!(name, "cpu" | "resident");
        system.prints.is_empty() || of_lab || system.prints.iter().any(|n| n == name)
    };
    let ours = |system: &&System| if bar.system.is_empty() { is_leat(&system.name) } else { system.name == bar.system };
    // In a test a row may be without its systems.
    let known = row.ways.is_empty() || row.ways.iter().filter(ours).any(|system| prints(system, &bar.name));
    need(known, || match bar.system.as_str() {
        "" => format!("{what} is for Leat's systems, none of which prints it"),
        system => format!("{what} is for {system}, which does not print it"),
    })?;
    let of = if bar.of.is_empty() { &bar.name } else { &bar.of };
    let other = row.ways.iter().find(|system| !bar.to.is_empty() && system.name == bar.to && !prints(system, of));
    need(other.is_none(), || format!("{what} compares with {of} of {}, which does not print it", bar.to))
}

/// The names of a document's overview.
pub fn overview(document: &Document, all: &[Row]) -> Check {
    for (name, row) in document.overview.iter().flat_map(|name| all.iter().map(move |row| (name, row))) {
        if document.has(&row.id) {
            let what = format!("documents.toml: the overview of {}, row {}", document.letter, row.id);
            has_name(row, &what, name)?;
            need(row.x.is_none(), || format!("{what} has sizes, and no line of an overview shows them"))?;
        }
    }
    Ok(())
}

/// What the bars of a row compare with in others.
pub fn least(row: &Row, all: &[Row]) -> Check {
    for (bar, least) in row.bars.iter().filter_map(|bar| Some((bar, bar.least.as_ref()?))) {
        let what = format!("a bar of {}", bar.name);
        let other = all.iter().find(|other| other.id == least.row);
        let other = other.ok_or_else(|| format!("{what}: there is no row {} for its `least`", least.row))?;
        need(least.ratio.is_finite() && least.ratio > 0.0, || format!("{what}: {} is no ratio", least.ratio))?;
        has_name(other, &format!("{what}, with row {}", other.id), &bar.name)?;
        let sizes = other.x.as_ref().map(Sweep::all).unwrap_or_default();
        let own = row.x.as_ref().map(Sweep::all).unwrap_or_default();
        let missing = own.iter().find(|x| !sizes.contains(x));
        need(missing.is_none(), || format!("{what}: row {} has no size {}", other.id, missing.unwrap_or(&0.0)))?;
    }
    Ok(())
}

fn plot(row: &Row, plot: &Plot) -> Check {
    let what = format!("the plot `{}`", plot.title);
    need(!plot.names.is_empty(), || format!("{what} has no names"))?;
    plot.names.iter().try_for_each(|name| has_name(row, &what, name))?;
    plot.systems.iter().try_for_each(|name| has_system(row, &what, name))?;
    let numbers = [plot.divide, plot.inverse.unwrap_or(1.0)];
    need(numbers.iter().all(|v| v.is_finite() && *v != 0.0), || format!("{what}: `divide` or `inverse` is no number"))?;
    need(plot.kind != PlotKind::Curves || row.x.is_some(), || format!("{what} has curves over x, and the row has no x"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOUND: &str = "id = 'F1'\ntitle = ''\nsystems = ['C', 'leat']\nhow = ''\nmeans = ''\nseconds = 60\ntimes = 1\n\
                         names = [{name = 'time', unit = 'ns'}]\nx = {name = 'size', values = [10, 100], quick = [10]}\n";

    fn checked(text: &str) -> Check {
        row(&toml::from_str::<Row>(text).unwrap())
    }

    /// Each of these panicked, never ended, or said nothing: two bars of E1 named sizes that it does not have, and were
    /// never missed.
    #[test]
    fn what_is_refused() {
        assert_eq!(checked(SOUND), Ok(()));
        let x = "x = {name = 'size', values = [10, 100], quick = [10]}";
        for (old, new, reason) in [
            ("['C', 'leat']", "[]", "it has no system"),
            ("['C', 'leat']", "['C', 'C']", "system C stands twice"),
            ("[{name = 'time', unit = 'ns'}]", "[]", "it has no names"),
            ("seconds = 60", "seconds = 0", "`seconds` is 0"),
            ("seconds = 60", "seconds = 9000000000000000000", "must be from 1 to 86400"),
            ("times = 1", "times = 0", "`times` is 0"),
            (x, "x = {name = 'size', from = 1, factor = 1.2, to = 100, quick = [1]}", "x stays at 1 for ever"),
            (x, "x = {name = 'size', from = 1e8, factor = 1.0000001, to = 1e15, quick = [1]}", "more than 1000 values"),
            (x, "x = {name = 'size', from = 10, factor = 2, to = 1, quick = [1]}", "is no series"),
            (x, "x = {name = 'size', quick = [1]}", "x has no values"),
            (x, "x = {name = 'size', values = [10, 10], quick = [1]}", "size 10 stands twice"),
            (x, "x = {name = 'size', values = [10], quick = []}", "no values for --quick"),
            ("unit = 'ns'", "unit = 'ns', more_is_better = true}]\nbest = true #", "`best` is the least of its runs"),
            (x, "n = {least = 2, most = 1}", "n is at least 2 and at most 1"),
            (x, "n = {least = 1, most = 1, quick = 0}", "n's `quick` is 0"),
            ("x =", "bars = [{name = 'time'}]\nx =", "a bar of time has neither `ratio` nor `value`"),
            ("x =", "bars = [{name = 'thyme', value = 1}]\nx =", "a bar is about thyme"),
            (
                "x =",
                "bars = [{name = 'time', value = 1, x = [10, 99]}]\nx =",
                "is at 99, which is not among its sizes: the nearest that the row has is 100",
            ),
            ("x =", "bars = [{name = 'time', ratio = 1, of_x = 9}]\nx =", "is at 9, which is not among its sizes"),
            (x, "bars = [{name = 'time', ratio = 1, x = [10]}]", "the row has no sizes"),
            (
                "x =",
                "bars = [{name = 'time', ratio = 1, to = 'Go'}]\nx =",
                "a bar of time is about Go, which is not among",
            ),
            ("x =", "bars = [{name = 'time', ratio = 1, system = 'C'}]\nx =", "which is no system of Leat"),
            ("x =", "plots = [{title = 'T', kind = 'bars', names = ['thyme']}]\nx =", "the plot `T` is about thyme"),
            ("x =", "plots = [{title = 'T', kind = 'bars', names = ['time'], divide = 0}]\nx =", "is no number"),
            ("x =", "series = [{system = 'leat', run = ' '}]\nx =", "has no `run`"),
        ] {
            assert!(SOUND.contains(old), "{old}");
            let result = checked(&SOUND.replace(old, new));
            assert!(result.as_ref().is_err_and(|e| e.contains(reason)), "{new}: {result:?}");
        }
        // A bar of the heap's peak, for a program that prints none, was counted neither as met nor as missed.
        for (system, to, prints, reason) in [
            ("leat", "C", "['time']", None),
            ("leat", "C", "['other']", Some("is for leat, which does not print it")),
            ("", "C", "['other']", Some("none of which prints it")),
        ] {
            let text = SOUND.replace(
                "x =",
                &format!("bars = [{{name = 'time', ratio = 1, system = '{system}', to = '{to}'}}]\nx ="),
            );
            let mut one: Row = toml::from_str(&text).unwrap();
            one.ways = ["name = 'C'".to_string(), format!("name = 'leat'\nprints = {prints}")]
                .map(|text| toml::from_str(&text).unwrap())
                .into();
            let result = row(&one);
            match reason {
                None => assert_eq!(result, Ok(())),
                Some(reason) => assert!(result.as_ref().is_err_and(|e| e.contains(reason)), "{result:?}"),
            }
        }
        // What it is compared with is in another row.
        let bars = "bars = [{name = 'time', value = 1, least = {row = 'E9', ratio = 1.4}}]\nx =";
        let compared: Row = toml::from_str(&SOUND.replace("x =", bars)).unwrap();
        assert!(row(&compared).is_ok() && least(&compared, &[]).unwrap_err().contains("there is no row E9"));
        let of = |run: &str, key: &str| {
            toml::from_str::<System>(&format!("name = 'C'\nkey = '{key}'\nrun = '{run}'")).unwrap()
        };
        assert!(systems(&[of("", ""), of("a", "b")]).is_ok());
        assert!(systems(&[of(" ", "")]).unwrap_err().contains("its `run` is blank"));
        let quoted = toml::from_str::<System>("name = 'C'\nrun = \"env 'A=1 2' c\"").unwrap();
        assert!(systems(&[quoted]).unwrap_err().contains("words end at blanks, also in quotes: 'A=1"));
        assert!(systems(&[of("a", ""), of("a", "")]).unwrap_err().contains("there are two systems C"));
    }
}
