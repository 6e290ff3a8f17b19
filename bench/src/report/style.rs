//! The systems of a figure -> how each is drawn: a colour by who it is, a marker and dashes by its place.
//!
//! Leat's own are the blue family, thick and solid; the others have warm colours, green and grey, thin and dashed. No
//! two series of a figure have the same marker and dashes, so it can be read in black and white and by who sees few
//! colours.
//!
//! `c0` to `c11` are Leat's colours, `k` is C, `p0` to `p15` are the others; page.rs says what they are. ` alt` is the
//! other one of a pair (without optimisation) and has the colour and the marker of the first.

use std::fmt::Write;

use crate::table::is_leat;

const OURS: usize = 12;
const THEIRS: usize = 16;

/// Who has which colour over the whole page: the longest of these that a name begins with.
const KNOWN: &[(&str, &str)] = &[
    ("C", "k"),
    ("leat", "c0"),
    ("leat own", "c0"),
    ("leat threads", "c0"),
    ("leat tramp", "c1"),
    ("leat callbacks", "c1"),
    ("leat run", "c1"),
    ("leat cont", "c2"),
    ("leat, 2 workers", "c2"),
    ("leat threads, 2 workers", "c2"),
    ("leat promise", "c3"),
    ("leat vm", "c4"),
    ("leat callcc", "c5"),
    ("leat dlcont", "c6"),
    ("leat equeue, keyed", "c7"),
    ("leat equeue, ordered", "c8"),
    ("leat equeue, as published", "c9"),
    ("leat sys", "c10"),
    ("SML/NJ", "p0"),
    ("MLton", "p1"),
    ("Poly/ML", "p2"),
    ("GHC", "p3"),
    ("GHC's threads", "p8"),
    ("Go", "p4"),
    ("Go, two cores", "p9"),
    ("OCaml", "p5"),
    ("OCaml, continuation monad", "p10"),
    ("OCaml, effects", "p11"),
    ("OCaml, Lwt", "p12"),
    ("OCaml, system threads", "p13"),
    ("tokio", "p6"),
    ("Guile", "p7"),
    ("Python", "p14"),
];

/// `leat own, -O0` -> `leat own`: with what it makes a pair.
pub fn twin(system: &str) -> Option<&str> {
    system.strip_suffix(", -O0").or_else(|| system.strip_suffix(", byte code"))
}

/// The longest known name that this one is or goes on from, with `C -O` but not `Coq`.
fn known(system: &str) -> Option<(&'static str, &'static str)> {
    let goes_on = |rest: &str| rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
    let matching = KNOWN.iter().filter(|(name, _)| system.strip_prefix(name).is_some_and(goes_on));
    matching.max_by_key(|(name, _)| name.len()).copied()
}

/// The classes of the colours of systems that may stand in one figure.
pub fn colours(systems: &[&str]) -> Vec<String> {
    let mut classes = vec![String::new(); systems.len()];
    fn twin_among<'a>(system: &'a str, systems: &[&str]) -> Option<&'a str> {
        twin(system).filter(|first| systems.contains(first))
    }
    let takes = |classes: &mut Vec<String>, i: usize, class: &str| {
        let is_free = classes[i].is_empty() && !classes.iter().any(|other| other == class);
        if is_free {
            classes[i] = class.to_string();
        }
    };
    // A whole name goes before one that only begins so, wherever it stands.
    for is_whole in [true, false] {
        for (i, system) in systems.iter().enumerate().filter(|(_, system)| twin_among(system, systems).is_none()) {
            let name = twin(system).unwrap_or(system);
            if let Some((_, class)) = known(name).filter(|(known, _)| !is_whole || *known == name) {
                takes(&mut classes, i, class);
            }
        }
    }
    for (i, system) in systems.iter().enumerate().filter(|(_, system)| twin_among(system, systems).is_none()) {
        let (letter, many) = if is_leat(system) { ('c', OURS) } else { ('p', THEIRS) };
        // Where to look first depends on the name, not on who else is there, so that it is the same in most figures.
        let first = if known(system).is_some() { many / 2 } else { system.bytes().map(usize::from).sum() };
        for k in 0..many {
            takes(&mut classes, i, &format!("{letter}{}", (first + k) % many));
        }
        if classes[i].is_empty() {
            classes[i] = format!("{letter}{}", first % many);
        }
    }
    for (i, system) in systems.iter().enumerate() {
        if let Some(first) = twin_among(system, systems).and_then(|first| systems.iter().position(|s| *s == first)) {
            classes[i] = format!("{} alt", classes[first]);
        }
    }
    classes
}

/// The colour of what a document published about a system: that of the system.
pub fn colour_of_published(system: &str) -> String {
    known(system).map_or("old", |(_, class)| class).to_string()
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Look {
    pub marker: usize,
    pub dash: usize,
    /// Published, or the other one of a pair.
    pub is_hollow: bool,
}

pub const DASHES: usize = 6;

/// The looks of a figure's series, of which each has a class of colour and may be published.
pub fn looks<'a>(series: impl Iterator<Item = (&'a str, bool)>) -> Vec<Look> {
    let series: Vec<(&str, bool)> = series.collect();
    let is_ours = |class: &str| class.starts_with('c');
    let is_mixed = series.iter().any(|(class, _)| is_ours(class)) && series.iter().any(|(class, _)| !is_ours(class));
    let mut looks: Vec<Look> = Vec::new();
    let (mut ours, mut theirs) = (0, 0);
    for (class, is_published) in &series {
        let first = class.strip_suffix(" alt");
        if let Some(at) = first.and_then(|first| series[..looks.len()].iter().position(|(class, _)| *class == first)) {
            looks.push(Look { is_hollow: true, dash: (looks[at].dash + 1) % DASHES, ..looks[at] });
            continue;
        }
        let place = if is_mixed && is_ours(class) { &mut ours } else { &mut theirs };
        let (i, around) = (*place, *place / MARKERS.len());
        *place += 1;
        // Leat's are solid where there are others; those never are.
        let dash = match (is_mixed, is_ours(class)) {
            (true, true) => around % DASHES,
            (true, false) => 1 + (i + around) % (DASHES - 1),
            (false, _) => (i + around) % DASHES,
        };
        looks.push(Look { marker: i % MARKERS.len(), dash, is_hollow: *is_published });
    }
    looks
}

/// Corners of the markers, of about the same weight; the first is a circle.
const MARKERS: &[&[(f64, f64)]] = &[
    &[],
    &[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
    &[(0.0, -1.25), (1.2, 0.9), (-1.2, 0.9)],
    &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
    &[
        (-1.2, -0.6),
        (-0.6, -1.2),
        (0.0, -0.6),
        (0.6, -1.2),
        (1.2, -0.6),
        (0.6, 0.0),
        (1.2, 0.6),
        (0.6, 1.2),
        (0.0, 0.6),
        (-0.6, 1.2),
        (-1.2, 0.6),
        (-0.6, 0.0),
    ],
    &[(0.0, 1.25), (1.2, -0.9), (-1.2, -0.9)],
    &[
        (-0.4, -1.3),
        (0.4, -1.3),
        (0.4, -0.4),
        (1.3, -0.4),
        (1.3, 0.4),
        (0.4, 0.4),
        (0.4, 1.3),
        (-0.4, 1.3),
        (-0.4, 0.4),
        (-1.3, 0.4),
        (-1.3, -0.4),
        (-0.4, -0.4),
    ],
    &[(-1.2, -1.0), (1.2, 1.0), (1.2, -1.0), (-1.2, 1.0)],
    &[(-0.5, -1.5), (0.5, -1.5), (0.5, 1.5), (-0.5, 1.5)],
    &[
        (0.0, -1.5),
        (0.4, -0.5),
        (1.4, -0.45),
        (0.6, 0.2),
        (0.9, 1.25),
        (0.0, 0.6),
        (-0.9, 1.25),
        (-0.6, 0.2),
        (-1.4, -0.45),
        (-0.4, -0.5),
    ],
    &[(-1.0, -1.2), (1.0, -1.2), (-1.0, 1.2), (1.0, 1.2)],
    &[(-1.25, 0.0), (0.9, -1.2), (0.9, 1.2)],
    &[(-1.5, -0.5), (1.5, -0.5), (1.5, 0.5), (-1.5, 0.5)],
    &[(1.25, 0.0), (-0.9, -1.2), (-0.9, 1.2)],
];

/// A marker at a point: of its usual size (`m0` of [`definitions`]), small (`n0`) or, without its form, a dot.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Usual,
    Small,
    Dot,
}

/// `inside`: what a reader sees who points at it.
pub fn marker(look: Look, class: &str, size: Size, x: f64, y: f64, inside: &str) -> String {
    let name = match size {
        Size::Usual => format!("m{}", look.marker),
        Size::Small => format!("n{}", look.marker),
        Size::Dot => "dot".to_string(),
    };
    let end = if inside.is_empty() { "/>".to_string() } else { format!(">{inside}</use>") };
    format!("<use class=\"{class}\" href=\"#{name}\" x=\"{x:.1}\" y=\"{y:.1}\"{end}")
}

/// The markers, once for a page.
pub fn definitions() -> String {
    let one = |i| {
        let (usual, small) = (outline(i, 3.6), outline(i, 2.6));
        format!("<path id=\"m{i}\" d=\"{usual}\"/><path id=\"n{i}\" d=\"{small}\"/>")
    };
    let all: String = (0..MARKERS.len()).map(one).collect();
    let dot = outline(0, 1.8);
    format!(
        "<svg class=\"defs\" aria-hidden=\"true\" width=\"0\" height=\"0\"><defs>{all}<path id=\"dot\" d=\"{dot}\"/></defs></svg>\n"
    )
}

/// The outline of a marker, as a path.
fn outline(marker: usize, radius: f64) -> String {
    let corners = MARKERS[marker];
    let Some((first, rest)) = corners.split_first() else {
        let width = 2.0 * radius;
        return format!("M-{radius} 0a{radius} {radius} 0 1 0 {width} 0a{radius} {radius} 0 1 0-{width} 0");
    };
    let mut path = format!("M{:.1} {:.1}", first.0 * radius, first.1 * radius);
    for (dx, dy) in rest {
        let _ = write!(path, "L{:.1} {:.1}", dx * radius, dy * radius);
    }
    path + "z"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Rows B1 to B4 have eleven styles of Leat and nine peers; they shared four blues and had no markers, so that no
    /// curve could be told from another.
    #[test]
    fn twenty_series_are_all_different() {
        let systems = [
            "OCaml, trampolined",
            "leat own",
            "leat tramp",
            "leat cont",
            "leat promise",
            "leat vm",
            "leat callcc",
            "leat dlcont",
            "leat equeue, keyed",
            "leat equeue, ordered",
            "leat equeue, as published",
            "OCaml, continuation monad",
            "OCaml, effects",
            "OCaml, Lwt",
            "leat sys",
            "OCaml, system threads",
            "GHC, MVars",
            "Go, one core",
            "SML/NJ, CML",
            "MLton, CML",
        ];
        let classes = colours(&systems);
        assert_eq!(classes.iter().collect::<HashSet<_>>().len(), 20, "{classes:?}");
        // Without colours too.
        let all = looks(classes.iter().map(|class| (class.as_str(), false)));
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 20, "{all:?}");
        for (system, look) in systems.iter().zip(&all) {
            assert_eq!(is_leat(system), look.dash == 0, "{system}: only Leat's are solid");
        }
        // As many of one system, or of one that nobody knows.
        for name in ["leat", "something"] {
            let many: Vec<String> = (0..20).map(|i| format!("{name}, {i}")).collect();
            let classes = colours(&many.iter().map(String::as_str).collect::<Vec<_>>());
            let all = looks(classes.iter().map(|class| (class.as_str(), false)));
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), 20, "{all:?}");
        }
    }

    /// SML/NJ was orange in A1 and purple in A9.
    #[test]
    fn a_system_has_one_colour_on_the_page() {
        for systems in [&["C", "leat", "SML/NJ"][..], &["MLton", "SML/NJ", "leat"], &["other", "SML/NJ, CML", "tokio"]]
        {
            let at = systems.iter().position(|system| system.starts_with("SML/NJ")).unwrap();
            assert_eq!(colours(systems)[at], "p0");
        }
        assert_eq!(colours(&["SML/NJ, @SMLalloc=4096k", "SML/NJ"])[1], "p0");
        assert_eq!(colours(&["C epoll", "Coq"])[0], "k");
        assert_ne!(colours(&["C epoll", "Coq"])[1], "k");
        assert_eq!(colour_of_published("C -O, Athlon 1 GHz"), "k");
        assert_eq!(colour_of_published("MLton 2007, a Xeon"), "p1");
    }

    #[test]
    fn pairs_have_one_colour_and_one_marker() {
        let classes = colours(&["leat own", "leat own, -O0", "leat tramp", "leat tramp, -O0"]);
        assert_eq!(classes, ["c0", "c0 alt", "c1", "c1 alt"]);
        let looks = looks(classes.iter().map(|class| (class.as_str(), false)));
        assert_eq!((looks[0].marker, looks[0].is_hollow), (looks[1].marker, !looks[1].is_hollow));
        assert_ne!(looks[1].marker, looks[2].marker);
        // Alone it has the colour of its other one.
        assert_eq!(colours(&["leat tramp, -O0"]), ["c1"]);
    }
}
