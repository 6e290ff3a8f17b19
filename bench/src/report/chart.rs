//! Curves and dots of a figure -> SVG.
//!
//! Our own small writer, not a crate: its colours are classes of the page's style sheet, so a drawing turns dark with
//! the page and black on white in print; crates for plots write colours into the drawing.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
pub use crate::report::paper::Axis;
use crate::report::paper::{Foot, Map, Paper, width_of};
use crate::report::style::{self, Look, Size};
pub use crate::report::words::escape;

/// A system's part of a drawing.
pub struct Curve {
    pub label: String,
    /// The class of its colour.
    pub class: String,
    /// x, y, and the range that y has (the quartiles, or the largest of neighbours).
    pub points: Vec<(f64, f64, f64, f64)>,
    pub published: bool,
}

impl Curve {
    /// Few published points are points of which nobody knows what lies between them.
    fn has_line(&self) -> bool {
        !self.published || self.points.len() > 6
    }
}

/// A point with a word to it.
pub struct Mark {
    pub x: f64,
    pub y: f64,
    pub word: String,
    /// That of its system's colour.
    pub class: String,
}

pub fn looks(curves: &[Curve]) -> Vec<Look> {
    style::looks(curves.iter().map(|curve| (curve.class.as_str(), curve.published)))
}

/// The classes of a curve's group: its colour, its dashes, and whether its markers are hollow.
pub fn classes(curve: &Curve, look: Look) -> String {
    let dash = if look.dash > 0 { format!(" d{}", look.dash) } else { String::new() };
    let hollow = if look.is_hollow { " hollow" } else { "" };
    format!("{}{dash}{hollow}", curve.class)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Key {
    Line,
    Bar,
    Dots,
}

/// A list of the series: how each is drawn, and what it is.
pub fn legend(curves: &[Curve], kind: Key) -> String {
    let one = |(i, (curve, look)): (usize, (&Curve, Look))| {
        let sample = match kind {
            Key::Line => {
                let line = if curve.has_line() { "<path class=\"line\" d=\"M1 7H35\"/>" } else { "" };
                format!("{line}{}", style::marker(look, "mk", Size::Usual, 18.0, 7.0, ""))
            }
            Key::Bar => format!(
                "<path class=\"bar\" d=\"M2 2H20V12H2z\"/>{}",
                style::marker(look, "mk", Size::Usual, 28.0, 7.0, "")
            ),
            Key::Dots => format!(
                "<path class=\"dots s{}\" stroke-width=\"4\" d=\"{}\"/>",
                i % DOTS,
                dots_at(&[8.0, 18.0, 28.0], i)
            ),
        };
        format!(
            "<li class=\"{}\"><svg viewBox=\"0 0 36 14\" aria-hidden=\"true\">{sample}</svg><span>{}</span></li>",
            classes(curve, look),
            escape(&curve.label)
        )
    };
    let all: String = curves.iter().zip(looks(curves)).enumerate().map(one).collect();
    format!("<ul class=\"legend\">{all}</ul>")
}

fn maps<'a>(curves: &'a [Curve], x: &'a Axis, y: &'a Axis, inside: (f64, f64), right: f64) -> (Paper, Map, Map) {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let up = |from, to| Map::new(points().flat_map(|p| [p.1, p.2, p.3]), y, from, to, Foot::Zero);
    let (paper, up) = Paper::new(inside, right, 46.0, y, &up);
    let across = Map::new(points().map(|p| p.0), x, paper.left + 8.0, paper.right - 8.0, Foot::Free);
    (paper, across, up)
}

/// What a series is called beside its curve: shorter than in the legend.
fn short_label(label: &str) -> String {
    let short = match label.strip_prefix("published: ") {
        Some(rest) => format!("published: {}", rest.split(',').next().unwrap_or(rest)),
        None => label.to_string(),
    };
    if short.chars().count() <= 32 { short } else { short.chars().take(31).chain(['…']).collect() }
}

const END: f64 = 11.0;

/// A line through the points of each system, with the quartiles as strokes, and its name at the end.
pub fn curves(title: &str, curves: &[Curve], x: &Axis, y: &Axis) -> String {
    let ends: f64 = curves.iter().map(|curve| width_of(&short_label(&curve.label), END)).fold(0.0, f64::max);
    let (right, height) =
        (if curves.len() > 1 { ends + 24.0 } else { 14.0 }, if curves.len() > 12 { 400.0 } else { 300.0 });
    let (paper, across, up) = maps(curves, x, y, (510.0, height), right);
    let mut svg = paper.open(title, &format!("{} curves over {}.", curves.len(), x.label));
    paper.frame(&mut svg, &up, y);
    paper.across(&mut svg, &across, x);
    // Where a name would lie upon a curve.
    let (mut at_end, mut along) = (Vec::new(), Vec::new());
    for (curve, look) in curves.iter().zip(looks(curves)) {
        let mut points = curve.points.clone();
        points.retain(|p| p.0.is_finite() && p.1.is_finite());
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let _ = write!(svg, "<g class=\"{}\">", classes(curve, look));
        if curve.has_line() {
            let _ = write!(svg, "<path class=\"line\" d=\"{}\"/>", line(&points, &across, &up));
        }
        // Of a long curve some points have the marker and the others a dot.
        let every = points.len().div_ceil(9).max(1);
        let mut spread = String::new();
        for (i, p) in points.iter().enumerate() {
            let (at, height, low, high) = (across.at(p.0), up.at(p.1), up.at(p.2), up.at(p.3));
            if (low - high).abs() > 2.0 {
                let _ = write!(spread, "M{at:.1} {low:.1}V{high:.1}");
            }
            let is_zero = up.is_zero(p.1);
            let size = if i % every == 0 || is_zero { Size::Usual } else { Size::Dot };
            let class = if is_zero { "mk zero" } else { "mk" };
            let told = format!("{}: {}, {}", curve.label, x.text(p.0), y.text(p.1));
            svg += &style::marker(look, class, size, at, height, &format!("<title>{}</title>", escape(&told)));
        }
        if !spread.is_empty() {
            let _ = write!(svg, "<path class=\"spread\" d=\"{spread}\"/>");
        }
        svg += "</g>\n";
        at_end.extend(points.last().map(|p| (curve, across.at(p.0), up.at(p.1))));
        if curve.has_line() {
            for pair in points.windows(2) {
                let [from, to] = [&pair[0], &pair[1]].map(|p| (across.at(p.0), up.at(p.1)));
                let steps = ((to.0 - from.0).abs() / 8.0).ceil().max(1.0);
                along.extend((0..=steps as usize).map(|k| {
                    let part = k as f64 / steps;
                    Area::around(from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1), 1.0)
                }));
            }
        }
    }
    if curves.len() > 1 {
        labels_at_ends(&mut svg, &paper, &at_end, along);
    }
    svg + "</svg>"
}

/// A line through the points; it is interrupted where one is 0, which is nowhere on a logarithmic axis.
fn line(points: &[(f64, f64, f64, f64)], across: &Map, up: &Map) -> String {
    let mut path = String::new();
    let mut is_first = true;
    for p in points {
        if up.is_zero(p.1) {
            is_first = true;
            continue;
        }
        let _ = write!(path, "{}{:.1} {:.1}", if is_first { "M" } else { "L" }, across.at(p.0), up.at(p.1));
        is_first = false;
    }
    path
}

/// A curve and the place of its last point.
type End<'a> = (&'a Curve, f64, f64);

/// Names beside the ends of curves: those at the right edge below each other in the margin, with a thin line to their
/// curve; the others, which end before, beside their last point if it is free there.
fn labels_at_ends(svg: &mut String, paper: &Paper, ends: &[End], along: Vec<Area>) {
    let (mut edge, inner): (Vec<End>, Vec<End>) = ends.iter().partition(|(_, at, _)| *at > paper.right - 90.0);
    edge.sort_by(|a, b| a.2.total_cmp(&b.2));
    let heights = apart(&edge.iter().map(|end| end.2).collect::<Vec<_>>(), END + 1.5, paper.top + 4.0, paper.bottom);
    for ((curve, at, from), to) in edge.iter().zip(heights) {
        let _ = write!(
            svg,
            "<g class=\"{}\"><path class=\"lead\" d=\"M{:.1} {from:.1}L{:.1} {to:.1}\"/><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>\n",
            curve.class,
            at + 5.0,
            paper.right + 12.0,
            paper.right + 14.0,
            to + 4.0,
            escape(&short_label(&curve.label))
        );
    }
    let mut taken = along;
    taken.extend(ends.iter().map(|(_, at, height)| Area::around(*at, *height, 5.0)));
    for (curve, at, height) in inner {
        let text = short_label(&curve.label);
        let place = Area::of_text(at + 8.0, height, width_of(&text, END));
        if place.right < paper.right && taken.iter().all(|other| !other.meets(&place)) {
            let _ = write!(
                svg,
                "<g class=\"{}\"><text class=\"end\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>\n",
                curve.class,
                at + 8.0,
                height + 4.0,
                escape(&text)
            );
            taken.push(place);
        }
    }
}

/// Heights, sorted, moved so that no two are nearer than this, between a top and a bottom.
fn apart(heights: &[f64], step: f64, top: f64, bottom: f64) -> Vec<f64> {
    let mut moved: Vec<f64> = Vec::new();
    for height in heights {
        moved.push(moved.last().map_or(height.max(top), |last| height.max(last + step)));
    }
    let mut limit = bottom;
    for height in moved.iter_mut().rev() {
        *height = height.min(limit);
        limit = *height - step;
    }
    moved
}

/// A rectangle on the paper.
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn around(x: f64, y: f64, radius: f64) -> Area {
        Area { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }
    }

    fn of_text(left: f64, middle: f64, width: f64) -> Area {
        Area { left, right: left + width, top: middle - 6.5, bottom: middle + 6.5 }
    }

    fn meets(&self, other: &Area) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}

/// Forms of dots: round, square, upright, lying. A stroke costs ten bytes of the page, a marker eighty.
const DOTS: usize = 4;

/// Strokes of a series at places.
fn dot(i: usize, x: f64, y: f64) -> String {
    match i % DOTS {
        2 => format!("M{x:.1} {:.1}v5", y - 2.5),
        3 => format!("M{:.1} {y:.1}h5", x - 2.5),
        // PDF draws no square at a stroke of no length.
        1 => format!("M{x:.1} {y:.1}h.1"),
        _ => format!("M{x:.1} {y:.1}h0"),
    }
}

fn dots_at(xs: &[f64], i: usize) -> String {
    xs.iter().map(|x| dot(i, *x, 7.0)).collect()
}

/// A dot for each point, the largest of its neighbours as a fainter one, and words at the spikes.
pub fn dots(title: &str, curves: &[Curve], marks: &[Mark], x: &Axis, y: &Axis) -> String {
    let (paper, across, up) = maps(curves, x, y, (510.0, 300.0), 14.0);
    let mut svg = paper.open(title, &format!("Points of {} series over {}.", curves.len(), x.label));
    paper.frame(&mut svg, &up, y);
    paper.across(&mut svg, &across, x);
    for (i, curve) in curves.iter().enumerate() {
        let width = if curve.points.len() > 300 { 2.4 } else { 4.0 };
        // One path of short strokes: a marker each would be a page of a megabyte.
        let (mut dots, mut tops, mut zeros) = (String::new(), String::new(), String::new());
        let mut last_zero = f64::NEG_INFINITY;
        for p in &curve.points {
            let (at, height) = (across.at(p.0), up.at(p.1));
            if !up.is_zero(p.1) {
                dots += &dot(i, at, height);
            } else if at - last_zero >= 3.0 {
                zeros += &format!("M{at:.1} {height:.1}h0");
                last_zero = at;
            }
            let top = up.at(p.3);
            if height - top > 2.0 {
                tops += &dot(i, at, top);
            }
        }
        let _ = write!(svg, "<g class=\"{}\">", curve.class);
        for (class, path) in [("dots top", &tops), ("dots", &dots)] {
            if !path.is_empty() {
                let form = i % DOTS;
                let _ = write!(svg, "<path class=\"{class} s{form}\" stroke-width=\"{width}\" d=\"{path}\"/>");
            }
        }
        if !zeros.is_empty() {
            // Hollow: paper upon ink.
            let _ = write!(
                svg,
                "<path class=\"dots\" stroke-width=\"6\" d=\"{zeros}\"/><path class=\"dots inside\" stroke-width=\"3\" d=\"{zeros}\"/>"
            );
        }
        svg += "</g>\n";
    }
    words_at(&mut svg, &paper, marks, &across, &up, y);
    svg + "</svg>"
}

/// A ring around each marked point, and its word where there is room. Causes that are known go first.
fn words_at(svg: &mut String, paper: &Paper, marks: &[Mark], across: &Map, up: &Map, y: &Axis) {
    let mut taken: Vec<Area> = marks.iter().map(|m| Area::around(across.at(m.x), up.at(m.y), 5.0)).collect();
    let (known, unknown): (Vec<&Mark>, Vec<&Mark>) = marks.iter().partition(|mark| mark.word != "not known");
    for mark in known.into_iter().chain(unknown) {
        let (at, height) = (across.at(mark.x), up.at(mark.y));
        let _ = write!(
            svg,
            "<g class=\"{}\"><circle class=\"mark\" cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"4.5\"><title>{} at {}: {}</title></circle>",
            mark.class,
            escape(&y.text(mark.y)),
            figure::number(mark.x),
            escape(&mark.word)
        );
        let width = width_of(&mark.word, END);
        let places =
            [(8.0, 0.0), (-8.0 - width, 0.0), (8.0, -11.0), (8.0, 11.0), (-8.0 - width, -11.0), (-8.0 - width, 11.0)];
        let free = places.iter().map(|(dx, dy)| Area::of_text(at + dx, height + dy, width)).find(|place| {
            place.left > paper.left + 2.0
                && place.right < paper.right
                && place.top > paper.top - 6.0
                && place.bottom < paper.bottom
                && taken.iter().all(|other| !other.meets(place))
        });
        if let Some(place) = free {
            let _ = write!(
                svg,
                "<text class=\"word\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                place.left,
                place.bottom - 2.5,
                escape(&mark.word)
            );
            taken.push(place);
        }
        svg.push_str("</g>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Scale;

    fn axis(scale: Scale, unit: &str) -> Axis {
        Axis { label: "size".into(), scale, unit: unit.into() }
    }

    fn curve(label: &str, class: &str, points: &[(f64, f64)], published: bool) -> Curve {
        let points = points.iter().map(|p| (p.0, p.1, p.1, p.1)).collect();
        Curve { label: label.into(), class: class.into(), points, published }
    }

    fn drawn(all: &[Curve]) -> String {
        curves("Times", all, &axis(Scale::Log, ""), &axis(Scale::Log, "ns"))
    }

    #[test]
    fn every_one_of_twenty_curves_has_its_name_at_its_end() {
        let all: Vec<Curve> = (0..20)
            .map(|i| {
                curve(
                    &format!("system {i}"),
                    &format!("p{}", i % 16),
                    &[(10.0, 100.0), (100.0, 150.0 + f64::from(i))],
                    false,
                )
            })
            .collect();
        let svg = drawn(&all);
        let heights: Vec<f64> = svg
            .split("<text class=\"end\"")
            .skip(1)
            .map(|text| text.split("y=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 20);
        assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 12.0), "{heights:?}");
    }

    /// E1 has two published points; a line between them was a curve that nobody measured.
    #[test]
    fn few_published_points_are_not_joined() {
        let few = [(100.0, 5.0), (10_000.0, 6.0)];
        let many: Vec<(f64, f64)> = (1..9).map(|i| (f64::from(i), 5.0)).collect();
        assert!(!drawn(&[curve("published: a", "old", &few, true)]).contains("class=\"line\""));
        assert!(drawn(&[curve("published: a", "old", &many, true)]).contains("class=\"line\""));
        assert!(drawn(&[curve("a", "p0", &few, false)]).contains("class=\"line\""));
        assert!(!legend(&[curve("published: a", "old", &few, true)], Key::Line).contains("class=\"line\""));
    }

    /// In A4 a delay of 0 was joined to the others as if it were 40 ns.
    #[test]
    fn a_curve_is_interrupted_at_zero() {
        let svg = drawn(&[curve("a", "p0", &[(1.0, 100.0), (2.0, 200.0), (3.0, 0.0), (4.0, 300.0)], false)]);
        let line = svg.split("class=\"line\" d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!((line.matches('M').count(), line.matches('L').count()), (2, 1), "{line}");
        assert_eq!(svg.matches("class=\"mk zero\"").count(), 1);
        let dots = dots(
            "Times",
            &[curve("a", "p0", &[(1.0, 0.0), (2.0, 50.0)], false)],
            &[],
            &axis(Scale::Linear, ""),
            &axis(Scale::Log, "ns"),
        );
        assert_eq!(dots.matches("dots inside").count(), 1, "{dots}");
    }

    /// In A5-each the words of neighbours lay upon each other.
    #[test]
    fn words_at_spikes_do_not_meet() {
        let points: Vec<(f64, f64)> = (0..40).map(|i| (f64::from(i), 10.0)).collect();
        let mark = |i: i32| Mark { x: f64::from(i), y: 5_000.0, word: "4 fresh pages".into(), class: "c0".into() };
        let marks: Vec<Mark> = (10..20).map(mark).collect();
        let svg = dots(
            "Times",
            &[curve("leat", "c0", &points, false)],
            &marks,
            &axis(Scale::Linear, ""),
            &axis(Scale::Log, "ns"),
        );
        assert_eq!(svg.matches("class=\"mark\"").count(), 10);
        let written = svg.matches("class=\"word\"").count();
        assert!((1..6).contains(&written), "{written}");
    }
}
