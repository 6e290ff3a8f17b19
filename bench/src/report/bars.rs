//! Groups of bars of a figure -> SVG.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::report::chart::{Axis, Curve, classes, looks};
use crate::report::paper::{Foot, Map, Paper, TICK, width_of};
use crate::report::style::{self, Size};
use crate::report::words::escape;
use crate::table::Scale;

/// Widest drawing between its edges: that of the page.
const MOST: f64 = 1000.0;

/// A group of bars for each name; a bar for each system that has a value there, and its marker above it.
pub fn bars(title: &str, groups: &[String], curves: &[Curve], y: &Axis) -> String {
    // As wide as the bars and the names below them want, if the page has room.
    let count = groups.len().max(1) as f64;
    let word = groups.iter().flat_map(|group| group.split(' ')).map(|word| width_of(word, TICK)).fold(0.0, f64::max);
    let wanted = (curves.len() as f64 * 9.5 + 14.0).max(word + 8.0);
    let inside = (count * wanted).clamp(510.0, MOST);
    let width = inside / count;
    let size = (TICK * (width - 4.0) / word.max(1.0)).clamp(10.0, TICK);
    let names: Vec<Vec<String>> = groups.iter().map(|group| wrapped(group, width - 4.0, size)).collect();
    let lines = names.iter().map(Vec::len).max().unwrap_or(1);
    let heights = || curves.iter().flat_map(|curve| &curve.points).flat_map(|p| [p.1, p.2, p.3]);
    let up = |from, to| Map::new(heights(), y, from, to, Foot::Bars);
    let bottom = 10.0 + 14.0 * lines as f64;
    let (paper, up) = Paper::new((inside, 300.0), 14.0, bottom, y, &up);
    let what =
        if y.scale == Scale::Log { "The axis is logarithmic: a bar twice as high is not twice as much." } else { "" };
    let mut svg = paper.open(title, &format!("Bars of {} series in {} groups. {what}", curves.len(), groups.len()));
    paper.frame(&mut svg, &up, y);
    let foot = up.foot();
    if up.zero.is_some() {
        let _ = write!(svg, "<path class=\"axis\" d=\"M{:.1} {foot:.1}H{:.1}\"/>\n", paper.left, paper.right);
    }
    let looks = looks(curves);
    let bar = (width * 0.86 / curves.len().max(1) as f64).min(40.0);
    for (i, (group, lines)) in groups.iter().zip(&names).enumerate() {
        let middle = paper.left + width * (i as f64 + 0.5);
        for (k, line) in lines.iter().enumerate() {
            let style = if size < TICK { format!(" style=\"font-size:{size:.1}px\"") } else { String::new() };
            let _ = write!(
                svg,
                "<text class=\"name\"{style} x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                paper.bottom + 16.0 + 14.0 * k as f64,
                escape(line)
            );
        }
        if i > 0 {
            let _ = write!(svg, "<path class=\"grid\" d=\"M{0:.1} {1:.1}v5\"/>\n", middle - width / 2.0, paper.bottom);
        }
        let there: Vec<_> = curves
            .iter()
            .zip(&looks)
            .filter_map(|(c, look)| Some((c, look, c.points.iter().find(|p| p.0 == i as f64 && p.1.is_finite())?)))
            .collect();
        let start = middle - bar * there.len() as f64 / 2.0;
        for (k, (curve, look, p)) in there.into_iter().enumerate() {
            // The two of a pair touch.
            let is_second = curve.class.ends_with(" alt");
            let (left, right) = (if is_second { 0.0 } else { 0.12 }, if is_second { 0.12 } else { 0.03 });
            let (at, top) = (start + bar * (k as f64 + left), up.at(p.1));
            let (bar_width, middle) = (bar * (1.0 - left - right), at + bar * (1.0 - left - right) / 2.0);
            let _ = write!(svg, "<g class=\"{}\">", classes(curve, *look));
            if !up.is_zero(p.1) {
                let _ = write!(
                    svg,
                    "<path class=\"bar\" d=\"M{at:.1} {foot:.1}V{:.1}h{bar_width:.1}V{foot:.1}z\"/>",
                    top.min(foot - 0.5)
                );
            }
            let (low, high) = (up.at(p.2), up.at(p.3));
            let has_whisker = (low - high).abs() > 2.0;
            if has_whisker {
                let _ = write!(svg, "<path class=\"whisker\" d=\"M{middle:.1} {low:.1}V{high:.1}\"/>");
            }
            let above = if up.is_zero(p.1) { top } else { top.min(high) - 6.5 };
            let class = if up.is_zero(p.1) { "mk zero" } else { "mk" };
            let size = if bar < 9.0 { Size::Small } else { Size::Usual };
            let _ = write!(
                svg,
                "{}<title>{}, {}: {}</title></g>\n",
                style::marker(*look, class, size, middle, above.max(5.0), ""),
                escape(&curve.label),
                escape(group),
                escape(&y.text(p.1))
            );
        }
    }
    svg + "</svg>"
}

/// The words of a name in lines of this width, each at least one word.
fn wrapped(text: &str, width: f64, size: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width_of(line, size) + width_of(word, size) + size * 0.56 <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(label: &str, class: &str, values: &[f64]) -> Curve {
        let points = values.iter().enumerate().map(|(i, v)| (i as f64, *v, *v, *v)).collect();
        Curve { label: label.into(), class: class.into(), points, published: false }
    }

    fn heights(svg: &str) -> Vec<f64> {
        // "M{at} {foot}V{top}h.."
        let all = svg.split("class=\"bar\" d=\"").skip(1);
        all.map(|d| {
            let foot: f64 = d.split([' ', 'V']).nth(1).unwrap().parse().unwrap();
            let top: f64 = d.split(['V', 'h']).nth(1).unwrap().parse().unwrap();
            foot - top
        })
        .collect()
    }

    /// B7: bars up to 8 s, beside which those of 10 ms were not to be seen.
    #[test]
    fn small_bars_are_seen_on_a_logarithmic_axis() {
        let all =
            [one("leat own", "c0", &[10.9e6]), one("leat sys", "c10", &[6.33e9]), one("leat tramp", "c1", &[9.31e6])];
        let groups = ["kpn 100,000".to_string()];
        let axis = |scale| Axis { label: "CPU time".into(), scale, unit: "ns".into() };
        let log = heights(&bars("Both", &groups, &all, &axis(Scale::Log)));
        assert!(log.iter().all(|height| *height > 15.0) && log[1] > 250.0 && log[0] > log[2], "{log:?}");
        let linear = heights(&bars("Both", &groups, &all, &axis(Scale::Linear)));
        assert!(linear[0] < 1.0, "{linear:?}");
    }

    /// A9: a median of 0 had a bar of the least height.
    #[test]
    fn a_bar_of_zero_is_a_hollow_marker_below_the_foot() {
        let all = [one("SML/NJ", "p0", &[0.0]), one("leat", "c0", &[500.0])];
        let svg = bars(
            "Late",
            &["median".to_string()],
            &all,
            &Axis { label: "time".into(), scale: Scale::Log, unit: "ns".into() },
        );
        assert_eq!((svg.matches("class=\"bar\"").count(), svg.matches("class=\"mk zero\"").count()), (1, 1));
    }

    /// A9, C1 and C4: the names of groups were written smaller and smaller.
    #[test]
    fn names_are_wrapped_not_shrunk() {
        assert_eq!(
            wrapped("a time-out of 10 ms comes late by, median", 100.0, 12.0),
            ["a time-out of", "10 ms comes", "late by,", "median"]
        );
        let groups: Vec<String> =
            ["fib", "tak", "queens", "primes", "matrix", "mandelbrot", "merge-sort", "red-black", "streams"]
                .map(String::from)
                .into();
        let all: Vec<Curve> = (0..5).map(|i| one("a", &format!("p{i}"), &[1e6; 9])).collect();
        let svg = bars("Suite", &groups, &all, &Axis { label: "time".into(), scale: Scale::Log, unit: "ns".into() });
        assert!(!svg.contains("font-size"), "{svg}");
    }
}
