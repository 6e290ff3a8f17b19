//! A plot of a row and its results -> a figure with legend and caption.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
use crate::record::{Results, Series};
use crate::report::bars;
use crate::report::chart::{self, Axis, Curve, Key, Mark};
use crate::report::style;
use crate::report::words::{escape, label, sorted_xs, unit};
use crate::stats::{median, quantile};
use crate::table::{Plot, PlotKind, Row, Scale};

/// A plot with what it is drawn from.
struct Drawing<'a> {
    row: &'a Row,
    plot: &'a Plot,
    results: &'a Results,
}

impl Drawing<'_> {
    /// The height of a value.
    fn height(&self, value: f64) -> f64 {
        self.plot.inverse.map_or(value / self.plot.divide, |k| k / value)
    }

    fn point(&self, x: f64, samples: &[f64]) -> (f64, f64, f64, f64) {
        let quartile = |part| self.height(quantile(samples, part));
        (x, self.height(median(samples)), quartile(0.25), quartile(0.75))
    }

    fn published(&self, x: f64, value: f64) -> (f64, f64, f64, f64) {
        let height = self.height(value);
        (x, height, height, height)
    }

    fn is_wanted(&self, system: &str) -> bool {
        self.plot.systems.is_empty() || self.plot.systems.iter().any(|s| s == system)
    }

    /// What a series is called among these: its system where it has one name, its name where there is one system.
    fn series_label(&self, systems: usize, system: &str, name: &str) -> String {
        match (systems, self.plot.names.len()) {
            (_, 1) => system.to_string(),
            (1, _) => label(self.row, name),
            _ => format!("{system}: {}", label(self.row, name)),
        }
    }

    /// The colours of series of systems and names. A system has one colour over the row where it is there once.
    fn colours(&self, series: &[(&str, &str)]) -> Vec<String> {
        if self.plot.names.len() == 1 {
            let systems: Vec<&str> = self.row.systems.iter().map(String::as_str).collect();
            let classes = style::colours(&systems);
            let class = |system: &str| systems.iter().position(|s| *s == system).map(|i| classes[i].clone());
            return series.iter().map(|(system, _)| class(system).unwrap_or_default()).collect();
        }
        style::colours(&series.iter().map(|(system, _)| *system).collect::<Vec<_>>())
    }

    fn curves(&self) -> Vec<Curve> {
        let (row, results) = (self.row, self.results);
        let of = |system: &str, name: &str| -> Vec<(f64, f64, f64, f64)> {
            let all = results.figures.iter().filter(|f| f.row == row.id && f.name == name && f.system == system);
            all.filter_map(|f| Some(self.point(f.x?, &f.samples))).collect()
        };
        let mut series: Vec<(&str, &str)> = Vec::new();
        for name in &self.plot.names {
            let systems = row.systems.iter().filter(|system| self.is_wanted(system) && !of(system, name).is_empty());
            series.extend(systems.map(|system| (system.as_str(), name.as_str())));
        }
        let systems = count(series.iter().map(|(system, _)| *system));
        let classes = self.colours(&series);
        let one = |((system, name), class): (&(&str, &str), String)| Curve {
            label: self.series_label(systems, system, name),
            class,
            points: of(system, name),
            published: false,
        };
        let mut curves: Vec<Curve> = series.iter().zip(classes).map(one).collect();
        for name in &self.plot.names {
            for published in &row.published {
                let points = published.points.get(name).into_iter().flatten();
                curves.push(Curve {
                    label: format!("published: {}", self.series_label(2, &published.system, name)),
                    class: style::colour_of_published(&published.system),
                    points: points.map(|(x, value)| self.published(*x, *value)).collect(),
                    published: true,
                });
            }
        }
        curves
    }

    /// Bars over x, if the row has one and the plot one name; else over the names.
    fn bars(&self) -> (Vec<String>, Vec<Curve>) {
        let (row, plot) = (self.row, self.plot);
        let xs: Vec<Option<f64>> = match (&row.x, plot.names.as_slice()) {
            (Some(_), [name]) => sorted_xs(row, self.results, name),
            _ => Vec::new(),
        };
        let groups: Vec<String> = if xs.is_empty() {
            plot.names.iter().map(|n| label(row, n)).collect()
        } else {
            let over = row.x.as_ref().map_or("", |x| x.name.as_str());
            xs.iter().map(|x| format!("{} {over}", figure::number(x.unwrap_or(0.0)))).collect()
        };
        // Places of bars: a name and an x.
        let places: Vec<(&String, Option<f64>)> = if xs.is_empty() {
            plot.names.iter().map(|name| (name, None)).collect()
        } else {
            xs.iter().map(|x| (&plot.names[0], *x)).collect()
        };
        let mut systems: Vec<&str> = row.systems.iter().map(String::as_str).filter(|s| self.is_wanted(s)).collect();
        // The two of a pair stand side by side.
        let first = |system: &str| style::twin(system).unwrap_or(system).to_string();
        let order: Vec<String> = systems.iter().map(|system| first(system)).collect();
        systems.sort_by_key(|system| order.iter().position(|name| *name == first(system)));
        let all: Vec<&str> = row.systems.iter().map(String::as_str).collect();
        let classes = style::colours(&all);
        let mut curves = Vec::new();
        for system in systems {
            let one = |(i, (name, x)): (usize, &(&String, Option<f64>))| {
                Some(self.point(i as f64, self.results.samples(&row.id, system, name, *x)?))
            };
            curves.push(Curve {
                label: system.to_string(),
                class: all.iter().position(|s| *s == system).map_or(String::new(), |i| classes[i].clone()),
                points: places.iter().enumerate().filter_map(one).collect(),
                published: false,
            });
        }
        for published in &row.published {
            let value = |name: &String, x: Option<f64>| match x {
                None => published.values.get(name).copied(),
                Some(x) => published.points.get(name)?.iter().find(|p| p.0 == x).map(|p| p.1),
            };
            let one =
                |(i, (name, x)): (usize, &(&String, Option<f64>))| Some(self.published(i as f64, value(name, *x)?));
            curves.push(Curve {
                label: format!("published: {}", published.system),
                class: style::colour_of_published(&published.system),
                points: places.iter().enumerate().filter_map(one).collect(),
                published: true,
            });
        }
        (groups, curves)
    }

    fn dots(&self) -> (Vec<Curve>, Vec<Mark>) {
        let is_meant =
            |s: &&Series| s.row == self.row.id && self.is_wanted(&s.system) && self.plot.names.contains(&s.name);
        let all: Vec<&Series> = self.results.series.iter().filter(is_meant).collect();
        let systems = count(all.iter().map(|series| series.system.as_str()));
        let names: Vec<(&str, &str)> = all.iter().map(|s| (s.system.as_str(), s.name.as_str())).collect();
        let (mut curves, mut marks) = (Vec::new(), Vec::new());
        for (series, class) in all.iter().zip(self.colours(&names)) {
            marks.extend(series.marks.iter().map(|(x, y, word)| Mark {
                x: *x,
                y: self.height(*y),
                word: word.clone(),
                class: class.clone(),
            }));
            let points = series.points.iter().map(|p| (p.0, self.height(p.1), self.height(p.1), self.height(p.2)));
            curves.push(Curve {
                label: self.series_label(systems, &series.system, &series.name),
                class,
                points: points.collect(),
                published: false,
            });
        }
        marks.sort_by(|a, b| b.y.total_cmp(&a.y));
        (curves, marks)
    }
}

fn count<'a>(systems: impl Iterator<Item = &'a str>) -> usize {
    let mut all: Vec<&str> = systems.collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

/// What a reader may take for something else.
fn notes(plot: &Plot, curves: &[Curve], marks: &[Mark]) -> String {
    let mut notes: Vec<&str> = Vec::new();
    if plot.y == Scale::Log && curves.iter().flat_map(|curve| &curve.points).any(|p| p.1 <= 0.0) {
        notes.push("Hollow on the line 0: measured as 0, less than its clock or counter can tell; the axis is logarithmic above the break.");
    }
    if plot.y == Scale::Log && plot.kind == PlotKind::Bars {
        notes.push("The axis is logarithmic: a bar twice as high is not twice as much.");
    }
    if curves.iter().any(|curve| curve.class.ends_with(" alt")) {
        notes.push("Pale, beside each full bar: the same without optimisation.");
    }
    if !marks.is_empty() {
        notes.push("A ring is a spike, and its word the cause.");
    }
    if notes.is_empty() { String::new() } else { format!("<p class=\"note\">{}</p>", notes.join(" ")) }
}

/// The figure, if there is anything to draw.
pub fn figure(body: &mut String, row: &Row, plot: &Plot, results: &Results) {
    let drawing = Drawing { row, plot, results };
    let unit = plot.names.first().map_or("", |name| unit(row, name));
    let is_plain = plot.inverse.is_none() && plot.divide == 1.0;
    let unit = if is_plain { unit.to_string() } else { String::new() };
    let y = Axis { label: plot.y_label.clone(), scale: plot.y, unit };
    let x = Axis { label: plot.x_label.clone(), scale: plot.x, unit: String::new() };
    let (mut groups, mut marks) = (Vec::new(), Vec::new());
    let mut curves = match plot.kind {
        PlotKind::Curves => drawing.curves(),
        PlotKind::Bars => {
            let (names, curves) = drawing.bars();
            groups = names;
            curves
        }
        PlotKind::Dots => {
            let (curves, words) = drawing.dots();
            marks = words;
            curves
        }
    };
    curves.retain(|curve| curve.points.iter().any(|p| p.1.is_finite()));
    if curves.is_empty() {
        return;
    }
    let title = format!("{}: {}", row.id, plot.title);
    let (svg, key) = match plot.kind {
        PlotKind::Curves => (chart::curves(&title, &curves, &x, &y), Key::Line),
        PlotKind::Bars => (bars::bars(&title, &groups, &curves, &y), Key::Bar),
        PlotKind::Dots => (chart::dots(&title, &curves, &marks, &x, &y), Key::Dots),
    };
    let _ = write!(
        body,
        "<figure><figcaption><b>{}</b></figcaption>{}<div class=\"paper\">{svg}</div>{}</figure>\n",
        escape(&title),
        chart::legend(&curves, key),
        notes(plot, &curves, &marks)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Figure;

    fn row(text: &str) -> Row {
        toml::from_str(text).unwrap()
    }

    fn drawn(row: &Row, systems: &[&str]) -> String {
        let one = |system: &&str, name: &str, x: f64| Figure {
            row: row.id.clone(),
            system: system.to_string(),
            x: row.x.as_ref().map(|_| x),
            name: name.into(),
            unit: "ns".into(),
            samples: vec![10.0 * x, 11.0 * x],
            ..Figure::default()
        };
        let xs = [10.0, 100.0];
        let figures = systems
            .iter()
            .flat_map(|system| row.names.iter().flat_map(move |name| xs.map(|x| one(system, &name.name, x))));
        let results = Results { figures: figures.collect(), ..Results::default() };
        let mut body = String::new();
        row.plots.iter().for_each(|plot| figure(&mut body, row, plot, &results));
        body
    }

    /// The curves of A7-forms, C3 and C3-heap are several names of one system: all had its one colour.
    #[test]
    fn names_of_one_system_are_told_apart() {
        let row = row(
            "id = \"X1\"\ntitle = \"t\"\nsystems = [\"leat\"]\nhow = \"\"\nmeans = \"\"\nnames = [{ name = \"a\", unit = \"ns\" }, { name = \"b\", unit = \"ns\" }]\n\
             x = { name = \"n\", values = [10, 100], quick = [10] }\n\
             [[plots]]\ntitle = \"both\"\nkind = \"curves\"\nnames = [\"a\", \"b\"]\ny = \"log\"\n",
        );
        let page = drawn(&row, &["leat"]);
        let classes: Vec<&str> =
            page.split("<li class=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        assert_eq!(classes.len(), 2, "{page}");
        assert_ne!(classes[0].split(' ').next(), classes[1].split(' ').next());
        assert!(page.contains("<span>a</span>") && page.contains("<b>X1: both</b>"), "{page}");
    }

    /// Two published series had one grey.
    #[test]
    fn published_series_are_told_apart() {
        let row = row(
            "id = \"X2\"\ntitle = \"t\"\nsystems = [\"C\", \"SML/NJ\"]\nhow = \"\"\nmeans = \"\"\nnames = [{ name = \"a\", unit = \"ns\" }]\n\
             published = [{ system = \"SML/NJ, Athlon\", values = { a = 5 } }, { system = \"C, Athlon\", values = { a = 3 } }]\n\
             [[plots]]\ntitle = \"bars\"\nkind = \"bars\"\nnames = [\"a\"]\n",
        );
        let page = drawn(&row, &["C", "SML/NJ"]);
        assert!(page.contains("<li class=\"p0 d3 hollow\">") || page.contains("<li class=\"p0 d2 hollow\">"), "{page}");
        assert!(page.contains("<li class=\"k d"), "{page}");
    }
}
