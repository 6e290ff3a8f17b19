//! A profile as a flame graph: one SVG that needs nothing else, in which one can look for a name and go into a frame.
//!
//! After Brendan Gregg: a box for each stack, as wide as what it costs, on top of its caller's; the order from left to
//! right is that of the names.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::compare::{self, Key, Stacks};
use crate::read::Profile;
use crate::table::amount;

const WIDTH: f64 = 1200.0;
const ROW: usize = 17;
/// Frames narrower than this share are left out.
const LEAST: f64 = 0.0003;

#[derive(Default)]
struct Frame {
    all: u64,
    /// By function.
    inner: BTreeMap<(String, u32), Frame>,
}

/// The graph; with an older profile, its colours tell what has changed since ([`crate::compare`]).
pub fn svg(profile: &Profile, old: Option<&Profile>) -> String {
    let (old, keys) = match old {
        Some(old) => {
            let (old_keys, keys) = compare::keys(old, profile);
            (Some(compare::stacks(old, &old_keys)), keys)
        }
        None => (None, (0..profile.functions.len() as Key).collect()),
    };
    let mut root = Frame::default();
    for tree in &profile.trees {
        for node in tree.nodes.iter().filter(|node| node.weight > 0) {
            root.all += node.weight;
            let mut frame = &mut root;
            for function in tree.stack(node) {
                let name = profile.functions[function as usize].name.clone();
                frame = frame.inner.entry((name, function)).or_default();
                frame.all += node.weight;
            }
        }
    }
    let mut boxes = String::new();
    let mut depth = 0;
    let whole = Whole { profile, total: root.all, old, keys };
    whole.draw(&root, 0.0, &mut Vec::new(), &mut boxes, &mut depth);
    let height = (depth + 1) * ROW + 60;
    let title = format!("{}: {}", escape(&profile.program), amount(root.all, &profile.unit));
    let mut out = String::new();
    let _ = write!(
        out,
        r##"<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">
<style>.f rect {{ stroke: #fff; stroke-width: .5; cursor: pointer }} .f:hover rect {{ stroke: #000 }} .f text {{ pointer-events: none }} .hit rect {{ fill: #c050e0 }} #bar text {{ cursor: pointer }}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="20" font-size="15">{title}</text>
<g id="bar"><text id="reset" x="700" y="20" visibility="hidden">whole graph</text><text id="search" x="850" y="20">search</text><text id="found" x="930" y="20"></text></g>
<text id="detail" x="10" y="40"> </text>
<g id="frames" transform="translate(0 50)">
{boxes}</g>
<script><![CDATA[
{SCRIPT}
]]></script>
</svg>
"##
    );
    out
}

/// What all boxes are drawn by.
struct Whole<'p> {
    profile: &'p Profile,
    total: u64,
    old: Option<Stacks>,
    /// What the profile's functions are known by in the older one.
    keys: Vec<Key>,
}

impl Whole<'_> {
    /// The boxes on top of a frame, which stands on `path`.
    fn draw(&self, frame: &Frame, x: f64, path: &mut Vec<Key>, out: &mut String, most: &mut usize) {
        let (depth, unit) = (path.len(), &self.profile.unit);
        *most = (*most).max(depth);
        let mut x = x;
        for ((name, function), inner) in &frame.inner {
            let share = inner.all as f64 / self.total.max(1) as f64;
            if share >= LEAST {
                let known = &self.profile.functions[*function as usize];
                path.push(self.keys[*function as usize]);
                let before = self.old.as_ref().map(|old| old.get(path).copied().unwrap_or(0));
                let (name, place) = (escape(name), escape(&known.place()));
                let was = before.map_or(String::new(), |before| format!("; before {}", amount(before, unit)));
                let text = format!("{name} {place} ({:.2} %, {}{was})", 100.0 * share, amount(inner.all, unit));
                let (left, width) = (x * WIDTH, share * WIDTH);
                let room = (width / 7.0) as usize;
                let short = match room {
                    0..3 => String::new(),
                    _ if known.name.chars().count() <= room => name.clone(),
                    _ => escape(&known.name.chars().take(room - 2).collect::<String>()) + "..",
                };
                let (y, baseline) = (depth * ROW, depth * ROW + 12);
                let fill = match before {
                    Some(before) => compare::colour(before, inner.all, self.total),
                    None => colour(&known.name, known.is_label(), known.file.starts_with("$(SML_LIB)")),
                };
                let _ = writeln!(
                    out,
                    "<g class=\"f\" data-x=\"{x:.6}\" data-w=\"{share:.6}\" data-n=\"{name}\"><title>{text}</title><rect x=\"{left:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{}\" fill=\"{fill}\"/><text x=\"{:.2}\" y=\"{baseline}\">{short}</text></g>",
                    ROW - 1,
                    left + 3.0,
                );
                self.draw(inner, x, path, out, most);
                path.pop();
            }
            x += share;
        }
    }
}

/// The program's functions warm, the library's green, what is no function blue; one name, one colour.
fn colour(name: &str, label: bool, library: bool) -> String {
    let hash = name.bytes().fold(5381u32, |hash, byte| hash.wrapping_mul(33) ^ u32::from(byte));
    let (hue, light) = match (label, library) {
        (true, _) => (210, 70 + hash % 10),
        (_, true) => (100 + hash % 30, 62 + hash / 32 % 12),
        _ => (hash % 50, 60 + hash / 64 % 12),
    };
    format!("hsl({hue},75%,{light}%)")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const SCRIPT: &str = r#"
const W = 1200, frames = [...document.querySelectorAll('.f')], by = id => document.getElementById(id);
for (const f of frames) {
  f.name = f.getAttribute('data-n'); f.x0 = +f.getAttribute('data-x'); f.w0 = +f.getAttribute('data-w');
  f.rect = f.querySelector('rect'); f.text = f.querySelector('text'); f.row = +f.rect.getAttribute('y');
  f.onmouseover = () => by('detail').textContent = f.querySelector('title').textContent;
  f.onclick = () => zoom(f);
}
function zoom(at) {
  const x0 = at ? at.x0 : 0, w0 = at ? at.w0 : 1, e = 1e-6;
  for (const f of frames) {
    const under = at && f.row < at.row && f.x0 <= x0 + e && f.x0 + f.w0 >= x0 + w0 - e;
    const inside = f.x0 >= x0 - e && f.x0 + f.w0 <= x0 + w0 + e && (!at || f.row >= at.row);
    f.style.display = under || inside ? '' : 'none'; f.style.opacity = under ? .5 : 1;
    const x = under ? 0 : (f.x0 - x0) / w0 * W, w = under ? W : f.w0 / w0 * W, room = Math.floor(w / 7);
    f.rect.setAttribute('x', x); f.rect.setAttribute('width', Math.max(w, 0)); f.text.setAttribute('x', x + 3);
    f.text.textContent = room < 3 ? '' : f.name.length <= room ? f.name : f.name.slice(0, room - 2) + '..';
  }
  by('reset').setAttribute('visibility', at ? 'visible' : 'hidden');
}
by('reset').onclick = () => zoom(null);
by('search').onclick = () => {
  const word = prompt('name, or a regular expression'); if (word === null) return;
  let fits; try { const r = new RegExp(word); fits = s => r.test(s); } catch { fits = s => s.includes(word); }
  const spans = [];
  for (const f of frames) { const hit = word !== '' && fits(f.name); f.classList.toggle('hit', hit); if (hit) spans.push([f.x0, f.x0 + f.w0]); }
  spans.sort((a, b) => a[0] - b[0]);
  let sum = 0, end = 0; for (const [a, b] of spans) { sum += Math.max(0, b - Math.max(a, end)); end = Math.max(end, b); }
  by('found').textContent = word === '' ? '' : (100 * sum).toFixed(2) + ' % in ' + word;
};"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{read, tests::SAMPLE};

    #[test]
    fn one_box_for_a_recursion_and_nothing_from_elsewhere() {
        let svg = svg(&read(SAMPLE).unwrap(), None);
        assert_eq!(svg.matches("data-n=\"f\"").count(), 1);
        assert!(svg.contains("g a b.sml:3 (40.00 %, 40 ns)"), "{svg}");
        let old = read(&SAMPLE.replace("n 4 3 2 4 25 2", "n 4 3 2 4 5 2")).unwrap();
        let compared = super::svg(&read(SAMPLE).unwrap(), Some(&old));
        assert!(compared.contains("g a b.sml:3 (40.00 %, 40 ns; before 20 ns)") && compared.contains("hsl(0,"));
        assert!(!svg.replace("http://www.w3.org/2000/svg", "").contains("http"));
    }
}
