//! Curves, dots and bars -> SVG.
//!
//! Our own small writer, not a crate: its colours are classes of the page's style sheet, so a drawing turns dark with the
//! page and black on white in print; crates for plots write colours into the drawing.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
use crate::table::Scale;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 48.0;

/// What the values of an axis are, and how they are shown.
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    /// Of ticks: `ns` shows 1 us, 10 us; empty shows 1k, 10k.
    pub unit: String,
}

/// A system's part of a drawing.
pub struct Curve {
    pub label: String,
    /// The class of its colour.
    pub class: String,
    /// x, y, and the range that y has (the quartiles, or the largest of neighbours).
    pub points: Vec<(f64, f64, f64, f64)>,
    pub published: bool,
}

/// A point with a word to it.
pub struct Mark {
    pub x: f64,
    pub y: f64,
    pub word: String,
}

/// Values of an axis -> places on the paper.
struct Map {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Map {
    fn new(values: impl Iterator<Item = f64>, scale: Scale, from: f64, to: f64, zero: bool) -> Map {
        let values: Vec<f64> = values.filter(|v| v.is_finite() && (scale == Scale::Linear || *v > 0.0)).collect();
        let (mut low, mut high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        if !low.is_finite() {
            (low, high) = (1.0, 10.0);
        }
        match scale {
            Scale::Linear => {
                low = if zero { low.min(0.0) } else { low };
                high = if high > low { high + (high - low) * 0.05 } else { low + 1.0 };
            }
            Scale::Log => {
                // A little air, and no less than a factor of four.
                let room = (high / low).powf(0.04).max(1.05);
                (low, high) = (low / room, high * room);
                if high / low < 4.0 {
                    (low, high) = (low / 2.0, high * 2.0);
                }
            }
        }
        Map { scale, low, high, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        match self.scale {
            Scale::Linear => {
                let raw = (self.high - self.low) / 5.0;
                let size = 10f64.powf(raw.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].map(|k| k * size).into_iter().find(|s| *s >= raw).unwrap_or(raw);
                let mut tick = (self.low / step).ceil() * step;
                while tick <= self.high {
                    ticks.push(if tick.abs() < step * 1e-9 { 0.0 } else { tick });
                    tick += step;
                }
            }
            Scale::Log => {
                let decades = (self.high / self.low).log10();
                let steps: &[f64] = if decades < 2.1 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let every = (decades / 7.0).ceil().max(1.0) as i32;
                let first = self.low.log10().floor() as i32;
                for exponent in first..=self.high.log10().ceil() as i32 {
                    if (exponent - first) % every == 0 {
                        ticks.extend(steps.iter().map(|k| k * 10f64.powi(exponent)));
                    }
                }
                ticks.retain(|tick| *tick >= self.low && *tick <= self.high);
            }
        }
        ticks
    }
}

/// 1500 -> 1.5k.
fn short(value: f64) -> String {
    match value.abs() {
        a if a >= 1e9 => format!("{}G", figure::number(value / 1e9)),
        a if a >= 1e6 => format!("{}M", figure::number(value / 1e6)),
        a if a >= 1e4 => format!("{}k", figure::number(value / 1e3)),
        _ => figure::number(value),
    }
}

fn tick_text(value: f64, axis: &Axis) -> String {
    if axis.unit.is_empty() { short(value) } else { figure::text(value, &axis.unit) }
}

pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn open(title: &str) -> String {
    format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>{}</title>\n", escape(title))
}

fn frame(svg: &mut String, x: Option<(&Map, &Axis)>, x_label: &str, y: &Map, y_axis: &Axis) {
    for tick in y.ticks() {
        let at = y.at(tick);
        let _ = write!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {at:.1}H{:.1}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
            escape(&tick_text(tick, y_axis))
        );
    }
    if let Some((map, axis)) = x {
        for tick in map.ticks() {
            let at = map.at(tick);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{at:.1} {TOP}V{:.1}\"/><text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 16.0,
                escape(&tick_text(tick, axis))
            );
        }
    }
    let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
    let _ = write!(svg, "<path class=\"axis\" d=\"M{LEFT} {TOP}V{bottom:.1}H{right:.1}\"/>\n");
    let _ = write!(
        svg,
        "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
        (LEFT + right) / 2.0,
        HEIGHT - 8.0,
        escape(x_label)
    );
    let middle = (TOP + bottom) / 2.0;
    let _ = write!(
        svg,
        "<text class=\"label\" transform=\"translate(13 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
        escape(&y_axis.label)
    );
}

fn maps(curves: &[Curve], x: &Axis, y: &Axis) -> (Map, Map) {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let across = Map::new(points().map(|p| p.0), x.scale, LEFT, WIDTH - RIGHT, false);
    let up = Map::new(points().flat_map(|p| [p.1, p.2, p.3]), y.scale, HEIGHT - BOTTOM, TOP, true);
    (across, up)
}

/// A line through the points of each system, with the quartiles as strokes.
pub fn curves(title: &str, curves: &[Curve], x: &Axis, y: &Axis) -> String {
    let mut svg = open(title);
    let (across, up) = maps(curves, x, y);
    frame(&mut svg, Some((&across, x)), &x.label, &up, y);
    for curve in curves {
        let mut points = curve.points.clone();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let line: Vec<String> = points.iter().map(|p| format!("{:.1} {:.1}", across.at(p.0), up.at(p.1))).collect();
        let dashes = if curve.published { " published" } else { "" };
        let _ = write!(svg, "<g class=\"{}{dashes}\"><path class=\"line\" d=\"M{}\"/>\n", curve.class, line.join("L"));
        for p in &points {
            let (at, low, high) = (across.at(p.0), up.at(p.2), up.at(p.3));
            if (low - high).abs() > 2.0 {
                let _ = write!(svg, "<path class=\"spread\" d=\"M{at:.1} {low:.1}V{high:.1}\"/>");
            }
            let _ = write!(
                svg,
                "<circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"{}\"><title>{}: {}, {}</title></circle>\n",
                up.at(p.1),
                if points.len() > 12 { 2.2 } else { 3.4 },
                escape(&curve.label),
                escape(&tick_text(p.0, x)),
                escape(&tick_text(p.1, y))
            );
        }
        svg += "</g>\n";
    }
    svg + "</svg>"
}

/// A dot for each point, the largest of its neighbours as a fainter one, and words at the spikes.
pub fn dots(title: &str, curves: &[Curve], marks: &[Mark], x: &Axis, y: &Axis) -> String {
    let mut svg = open(title);
    let (across, up) = maps(curves, x, y);
    frame(&mut svg, Some((&across, x)), &x.label, &up, y);
    for curve in curves {
        let radius = if curve.points.len() > 300 { 1.2 } else { 2.0 };
        // One path of short round strokes: a circle each would be a page of a megabyte.
        let (mut dots, mut tops) = (String::new(), String::new());
        for p in &curve.points {
            let (at, height) = (across.at(p.0), up.at(p.1));
            let _ = write!(dots, "M{at:.1} {height:.1}h0");
            let top = up.at(p.3);
            if height - top > 2.0 {
                let _ = write!(tops, "M{at:.1} {top:.1}h0");
            }
        }
        let _ = write!(
            svg,
            "<g class=\"{}\"><path class=\"dots top\" stroke-width=\"{:.1}\" d=\"{tops}\"/><path class=\"dots\" stroke-width=\"{:.1}\" d=\"{dots}\"/></g>\n",
            curve.class,
            2.0 * radius,
            2.0 * radius
        );
    }
    // Words that would lie on each other are left out, highest first.
    let mut written: Vec<(f64, f64)> = Vec::new();
    for mark in marks {
        let (at, height) = (across.at(mark.x), up.at(mark.y));
        let _ = write!(
            svg,
            "<circle class=\"mark\" cx=\"{at:.1}\" cy=\"{height:.1}\" r=\"4\"><title>{} at {}: {}</title></circle>\n",
            escape(&tick_text(mark.y, y)),
            figure::number(mark.x),
            escape(&mark.word)
        );
        let is_free = written.iter().all(|(x, y)| (x - at).abs() > 170.0 || (y - height).abs() > 13.0);
        if is_free && written.len() < 12 {
            let (anchor, dx) = if at > WIDTH * 0.6 { ("end", -7.0) } else { ("start", 7.0) };
            let _ = write!(
                svg,
                "<text class=\"word\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
                at + dx,
                (height + 4.0).max(TOP + 8.0),
                escape(&mark.word)
            );
            written.push((at, height));
        }
    }
    svg + "</svg>"
}

/// A group of bars for each name; a bar for each system that has a value there.
pub fn bars(title: &str, groups: &[String], curves: &[Curve], y: &Axis) -> String {
    let mut svg = open(title);
    let heights = curves.iter().flat_map(|curve| &curve.points).flat_map(|p| [p.1, p.2, p.3]);
    let mut up = Map::new(heights, y.scale, HEIGHT - BOTTOM, TOP, true);
    if y.scale == Scale::Log {
        // A bar must have a foot.
        up.low /= 1.6;
    }
    frame(&mut svg, None, "", &up, y);
    let width = (WIDTH - RIGHT - LEFT) / groups.len().max(1) as f64;
    let bar = (width * 0.84 / curves.len().max(1) as f64).min(40.0);
    for (i, group) in groups.iter().enumerate() {
        let middle = LEFT + width * (i as f64 + 0.5);
        let size = (width / (group.chars().count() as f64 * 0.56)).clamp(6.5, 12.0);
        let _ = write!(
            svg,
            "<text class=\"tick\" style=\"font-size:{size:.1}px\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            HEIGHT - BOTTOM + 16.0,
            escape(group)
        );
        let there: Vec<_> =
            curves.iter().filter_map(|c| Some((c, c.points.iter().find(|p| p.0 == i as f64)?))).collect();
        let start = middle - bar * there.len() as f64 / 2.0;
        for (k, (curve, p)) in there.into_iter().enumerate() {
            let (at, top) = (start + bar * k as f64, up.at(p.1));
            let (bottom, dashes) = (HEIGHT - BOTTOM, if curve.published { " published" } else { "" });
            let _ = write!(
                svg,
                "<g class=\"{}{dashes}\"><rect class=\"bar\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}, {}: {}</title></rect>",
                curve.class,
                at + 0.5,
                (bar - 1.0).max(1.0),
                (bottom - top).max(0.5),
                escape(&curve.label),
                escape(group),
                escape(&tick_text(p.1, y))
            );
            let (low, high) = (up.at(p.2), up.at(p.3));
            if (low - high).abs() > 2.0 {
                let _ = write!(svg, "<path class=\"whisker\" d=\"M{:.1} {low:.1}V{high:.1}\"/>", at + bar / 2.0);
            }
            svg += "</g>\n";
        }
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks() {
        let log = Map::new([120.0, 90_000.0].into_iter(), Scale::Log, 0.0, 100.0, false);
        assert_eq!(log.ticks(), [100.0, 1000.0, 10_000.0, 100_000.0]);
        let linear = Map::new([0.0, 93.0].into_iter(), Scale::Linear, 0.0, 100.0, true);
        assert_eq!(linear.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!([short(83_898.0), short(1e6), short(0.25)], ["83.9k", "1M", "0.25"]);
    }
}
