//! Values of an axis -> places on the paper, round ticks between them, and the frame that they stand at.

// Templates of pages: a line of the page is a line here, with its end.
#![allow(clippy::write_with_newline)]

use std::fmt::Write;

use crate::figure;
use crate::report::words::escape;
use crate::table::Scale;

/// What the values of an axis are, and how they are shown.
pub struct Axis {
    pub label: String,
    pub scale: Scale,
    /// Of ticks: `ns` shows 1 us, 10 us; empty shows 1k, 10k.
    pub unit: String,
}

impl Axis {
    /// Sizes of memory, whose round numbers are powers of two.
    fn is_binary(&self) -> bool {
        matches!(self.unit.as_str(), "bytes" | "KB")
    }

    pub fn text(&self, value: f64) -> String {
        if self.unit.is_empty() { short(value) } else { figure::text(value, &self.unit) }
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

/// About as wide as a text of this size is.
pub fn width_of(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.56
}

/// Where an axis begins.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Foot {
    /// Near the least value.
    Free,
    /// At 0, if it is linear.
    Zero,
    /// Bars stand on it: at 0, or on a logarithmic axis at a round value below the least.
    Bars,
}

/// Between the foot of a logarithmic axis and the line of 0 below it.
const GAP: f64 = 24.0;

/// Values of an axis -> places on the paper.
pub struct Map {
    scale: Scale,
    is_binary: bool,
    low: f64,
    high: f64,
    /// Bars stand on `low`, so it is a tick too.
    has_foot: bool,
    /// Where `low` is, and `high`.
    from: f64,
    to: f64,
    /// The line on which values of 0 stand, of which a logarithm knows nothing.
    pub zero: Option<f64>,
}

impl Map {
    pub fn new(values: impl Iterator<Item = f64>, axis: &Axis, from: f64, to: f64, foot: Foot) -> Map {
        let scale = axis.scale;
        let values: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        let zero = (scale == Scale::Log && values.iter().any(|v| *v <= 0.0)).then_some(from);
        let there = values.iter().filter(|v| scale == Scale::Linear || **v > 0.0);
        let (mut low, mut high) =
            there.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        if !low.is_finite() {
            (low, high) = (1.0, 10.0);
        }
        match scale {
            Scale::Linear => {
                low = if foot == Foot::Free { low } else { low.min(0.0) };
                // Above bars are their markers.
                let air = if foot == Foot::Bars { 0.08 } else { 0.05 };
                high = if high > low { high + (high - low) * air } else { low + 1.0 };
            }
            Scale::Log => {
                // A little air, and no less than a factor of four.
                let room = (high / low).powf(0.04).max(1.05);
                (low, high) = (low / room, high * room);
                if high / low < 4.0 {
                    (low, high) = (low / 2.0, high * 2.0);
                }
                if foot == Foot::Bars {
                    low = round_below(low / 1.2, axis.is_binary());
                    high *= (high / low).powf(0.05);
                }
            }
        }
        let from = if zero.is_some() { from + GAP * (to - from).signum() } else { from };
        let has_foot = foot == Foot::Bars && scale == Scale::Log;
        Map { scale, is_binary: axis.is_binary(), low, high, has_foot, from, to, zero }
    }

    pub fn at(&self, value: f64) -> f64 {
        let part = match (self.scale, self.zero) {
            (Scale::Log, Some(zero)) if value <= 0.0 => return zero,
            (Scale::Linear, _) => (value - self.low) / (self.high - self.low),
            (Scale::Log, _) => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Whether a value stands on the line of 0 below a logarithmic axis.
    pub fn is_zero(&self, value: f64) -> bool {
        self.zero.is_some() && value <= 0.0
    }

    /// Where bars stand.
    pub fn foot(&self) -> f64 {
        if self.scale == Scale::Log { self.from } else { self.at(0.0) }
    }

    /// Where its ticks stand and what they say, with that of zero.
    fn labels(&self, axis: &Axis) -> impl Iterator<Item = (f64, String)> {
        let ticks = self.ticks().into_iter().map(|tick| (self.at(tick), axis.text(tick)));
        ticks.chain(self.zero.map(|at| (at, "0".to_string())))
    }

    pub fn ticks(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        match self.scale {
            Scale::Linear => {
                let raw = (self.high - self.low) / 5.0;
                let size = 10f64.powf(raw.log10().floor());
                let decimal = [1.0, 2.0, 5.0, 10.0].map(|k| k * size).into_iter().find(|s| *s >= raw).unwrap_or(raw);
                let step = if self.is_binary { 2f64.powf(raw.log2().ceil()) } else { decimal };
                let mut tick = (self.low / step).ceil() * step;
                while tick <= self.high {
                    ticks.push(if tick.abs() < step * 1e-9 { 0.0 } else { tick });
                    tick += step;
                }
            }
            Scale::Log if self.is_binary => {
                let first = self.low.log2().floor() as i32;
                let last = self.high.log2().ceil() as i32;
                let every = [1, 2, 5, 10].into_iter().find(|every| (last - first) / every <= 7).unwrap_or(20);
                ticks.extend((first..=last).filter(|exponent| exponent % every == 0).map(|e| 2f64.powi(e)));
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
            }
        }
        let least = if self.scale == Scale::Log { self.low * (1.0 - 1e-9) } else { self.low };
        ticks.retain(|tick| *tick >= least && *tick <= self.high);
        if self.has_foot {
            // Not with one upon the other.
            ticks.retain(|tick| (self.at(*tick) - self.from).abs() > 15.0);
            ticks.insert(0, self.low);
        }
        ticks
    }

    /// The thin lines between the decades of a logarithmic axis of few.
    fn minor(&self) -> Vec<f64> {
        if self.scale == Scale::Linear || self.is_binary || self.high / self.low > 1e6 {
            return Vec::new();
        }
        let first = self.low.log10().floor() as i32;
        let all = (first..=self.high.log10().ceil() as i32)
            .flat_map(|exponent| (2..10).map(move |k| f64::from(k) * 10f64.powi(exponent)));
        all.filter(|value| *value >= self.low && *value <= self.high).collect()
    }
}

/// The largest of 1, 2, 5 and their tenfolds, or of the powers of two, that is no more than this.
fn round_below(value: f64, is_binary: bool) -> f64 {
    if is_binary {
        return 2f64.powf(value.log2().floor());
    }
    let size = 10f64.powf(value.log10().floor());
    [5.0, 2.0, 1.0].map(|k| k * size).into_iter().find(|round| *round <= value * (1.0 + 1e-9)).unwrap_or(size)
}

/// A drawing's size and the edges of its frame.
pub struct Paper {
    pub width: f64,
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

pub const TICK: f64 = 12.0;
/// Ticks are written larger on a phone, see page.rs.
const TICK_ON_PHONE: f64 = 15.0;

impl Paper {
    /// `inside` wide and high between the edges; the left one has room for the ticks, and the label beside them.
    pub fn new(inside: (f64, f64), right: f64, bottom: f64, y: &Axis, up: &dyn Fn(f64, f64) -> Map) -> (Paper, Map) {
        let top = 12.0;
        let up = up(top + inside.1, top);
        let widest = up.ticks().iter().map(|tick| width_of(&y.text(*tick), TICK_ON_PHONE)).fold(20.0, f64::max);
        let left = widest + if y.label.is_empty() { 12.0 } else { 34.0 };
        let (width, height) = (left + inside.0 + right, top + inside.1 + bottom);
        (Paper { width, height, left, right: left + inside.0, top, bottom: top + inside.1 }, up)
    }

    /// The beginning of the drawing. `--w` is its width, by which the style sheet scales it.
    pub fn open(&self, title: &str, what: &str) -> String {
        format!(
            "<svg viewBox=\"0 0 {:.0} {:.0}\" style=\"--w:{:.0}\" role=\"img\"><title>{}</title><desc>{}</desc>\n",
            self.width,
            self.height,
            self.width,
            escape(title),
            escape(what)
        )
    }

    /// Lines and ticks of y, and its label.
    pub fn frame(&self, svg: &mut String, up: &Map, y: &Axis) {
        let minor: String = up
            .minor()
            .iter()
            .map(|value| format!("M{:.1} {:.1}H{:.1}", self.left, up.at(*value), self.right))
            .collect();
        if !minor.is_empty() {
            let _ = write!(svg, "<path class=\"grid minor\" d=\"{minor}\"/>\n");
        }
        for (at, text) in up.labels(y) {
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{:.1} {at:.1}H{:.1}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
                self.left,
                self.right,
                self.left - 6.0,
                at + 4.0,
                escape(&text)
            );
        }
        match up.zero {
            // The axis is broken between its foot and 0.
            Some(zero) => {
                let (foot, middle) = (up.from, (up.from + zero) / 2.0);
                let _ = write!(
                    svg,
                    "<path class=\"axis\" d=\"M{0:.1} {1:.1}V{2:.1}M{3:.1} {4:.1}l8-5m-8 0l8-5M{0:.1} {foot:.1}V{2:.1}M{0:.1} {zero:.1}H{5:.1}\"/>\n",
                    self.left,
                    self.top,
                    foot,
                    self.left - 4.0,
                    middle + 5.0,
                    self.right
                );
            }
            None => {
                let _ = write!(
                    svg,
                    "<path class=\"axis\" d=\"M{:.1} {:.1}V{:.1}H{:.1}\"/>\n",
                    self.left, self.top, self.bottom, self.right
                );
            }
        }
        if !y.label.is_empty() {
            let middle = (self.top + self.bottom) / 2.0;
            let _ = write!(
                svg,
                "<text class=\"label\" transform=\"translate(14 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                escape(&y.label)
            );
        }
    }

    /// Lines and ticks of x, and its label.
    pub fn across(&self, svg: &mut String, across: &Map, x: &Axis) {
        for (at, text) in across.labels(x) {
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{at:.1} {:.1}V{:.1}\"/><text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                self.top,
                self.bottom,
                self.bottom + 17.0,
                escape(&text)
            );
        }
        let _ = write!(
            svg,
            "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
            (self.left + self.right) / 2.0,
            self.bottom + 38.0,
            escape(&x.label)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(scale: Scale, unit: &str) -> Axis {
        Axis { label: String::new(), scale, unit: unit.into() }
    }

    #[test]
    fn ticks() {
        let log = Map::new([120.0, 90_000.0].into_iter(), &axis(Scale::Log, ""), 0.0, 100.0, Foot::Free);
        assert_eq!(log.ticks(), [100.0, 1000.0, 10_000.0, 100_000.0]);
        let linear = Map::new([0.0, 93.0].into_iter(), &axis(Scale::Linear, ""), 0.0, 100.0, Foot::Zero);
        assert_eq!(linear.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!([short(83_898.0), short(1e6), short(0.25)], ["83.9k", "1M", "0.25"]);
    }

    /// Figures 17 and 18 had ticks at 1.95 KB, 4.88 KB and 9.77 KB: 2,000, 5,000 and 10,000 bytes.
    #[test]
    fn ticks_of_memory_are_powers_of_two() {
        let texts = |scale, values: [f64; 2]| -> Vec<String> {
            let axis = axis(scale, "bytes");
            let map = Map::new(values.into_iter(), &axis, 0.0, 100.0, Foot::Zero);
            map.ticks().iter().map(|tick| axis.text(*tick)).collect()
        };
        assert_eq!(texts(Scale::Log, [900.0, 9_000.0]), ["1 KB", "2 KB", "4 KB", "8 KB"]);
        assert_eq!(texts(Scale::Linear, [900.0, 9_000.0]), ["0 bytes", "2 KB", "4 KB", "6 KB", "8 KB"]);
    }

    /// SML/NJ's clock tells no delay below a millisecond apart from none; 0 was drawn at the foot, as if it were 40 ns.
    #[test]
    fn zero_stands_below_a_logarithmic_axis() {
        let map = Map::new([0.0, 100.0, 9_000.0].into_iter(), &axis(Scale::Log, "ns"), 300.0, 0.0, Foot::Zero);
        assert_eq!((map.zero, map.at(0.0)), (Some(300.0), 300.0));
        assert!(map.is_zero(0.0) && !map.is_zero(100.0));
        assert!(map.at(100.0) < 300.0 - GAP, "{}", map.at(100.0));
        let without = Map::new([100.0, 9_000.0].into_iter(), &axis(Scale::Log, "ns"), 300.0, 0.0, Foot::Zero);
        assert_eq!(without.zero, None);
        let linear = Map::new([0.0, 9_000.0].into_iter(), &axis(Scale::Linear, "ns"), 300.0, 0.0, Foot::Zero);
        assert_eq!((linear.zero, linear.at(0.0)), (None, 300.0));
    }

    /// Bars of 8 s beside bars of 10 ms: B7.
    #[test]
    fn logarithmic_bars_stand_on_a_round_value() {
        let map = Map::new([8.4e9, 9.21e6].into_iter(), &axis(Scale::Log, "ns"), 300.0, 0.0, Foot::Bars);
        assert_eq!((map.foot(), map.ticks()[0]), (300.0, 5e6), "{:?}", map.ticks());
        assert!(map.at(9.21e6) < 290.0 && map.at(8.4e9) < 30.0);
    }
}
