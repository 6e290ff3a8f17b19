//! The head of a page: its style sheet. Light and dark, wide and narrow, and on paper.

/// A whole page around this body.
pub fn around(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style></head>\n<body>\n{body}</body></html>\n"
    )
}

/// Colours that those who see few of them can tell apart (after Okabe and Ito), darker on white, lighter on black.
const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fdfdfc;--ink:#1c1e21;--soft:#5c6269;--line:#d9dbdd;--panel:#f3f4f4;
--good:#0a6b45;--bad:#b3261e;
--c0:#0060a8;--c1:#2f9bd8;--c2:#004b4f;--c3:#5b3fb5;--k:#3a3d40;
--p0:#d05a00;--p1:#a8327a;--p2:#00805a;--p3:#a07800;--p4:#7a4a1e;--p5:#c0392b;--p6:#5f7d16;--p7:#7d5ba6;--old:#8a8f94}
@media (prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#e7e8ea;--soft:#a0a6ad;--line:#363b41;--panel:#1e2125;
--good:#5fd0a0;--bad:#ff8a80;
--c0:#58b4f5;--c1:#9ad4ff;--c2:#4fc4c0;--c3:#b5a1ff;--k:#c9ccd0;
--p0:#ff9d4d;--p1:#f08cc6;--p2:#46cf9c;--p3:#e3c34a;--p4:#d2a679;--p5:#ff8f80;--p6:#b5d65a;--p7:#cdb0f0;--old:#868c93}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1.2rem 1rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:.4rem 0}h2{font-size:1.35rem;margin:3rem 0 .5rem;padding-top:.8rem;border-top:3px solid var(--line)}
h3{font-size:1.1rem;margin:2.2rem 0 .3rem}h4{font-size:.95rem;margin:1.1rem 0 .2rem;font-weight:600}
h3 .of{color:var(--soft);font-weight:400;font-size:.9rem}
p{margin:.5rem 0}a{color:var(--c0)}.soft,figcaption,.how{color:var(--soft)}.how{font-size:.92rem}
.means{border-left:4px solid var(--c0);padding:.1rem .9rem;background:var(--panel);margin:.8rem 0}
.misses{border-left:4px solid var(--bad);padding:.1rem .9rem;background:var(--panel);margin:.8rem 0}
.scroll{overflow-x:auto;margin:.6rem 0}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;min-width:50%}
th,td{padding:.22rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}
th{font-weight:600;background:var(--panel)}th:first-child,td:first-child{text-align:left}
td.words,th.words{text-align:left;white-space:normal;min-width:9rem}
td small{color:var(--soft);display:block;font-size:.76rem}tr.ours td{font-weight:600}tr.ours td small{font-weight:400}
tr.old td{color:var(--soft);font-style:italic}
.met{color:var(--good);font-weight:600}.missed{color:var(--bad);font-weight:600}
figure{margin:1rem 0}figure .paper{overflow-x:auto}svg{display:block;width:100%;min-width:30rem;max-width:46rem;height:auto}
figcaption{font-size:.9rem}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;margin:.2rem 0;font-size:.86rem}
.legend i{display:inline-block;width:1.1rem;height:.55rem;border-radius:2px;background:currentColor;margin-right:.35rem}
.legend .published i{background:repeating-linear-gradient(90deg,currentColor 0 4px,transparent 4px 7px)}
.legend span{color:var(--ink)}
svg text{fill:var(--ink);font-family:inherit}.tick{font-size:12px}.label{font-size:13px}.word{font-size:11px}
.grid{stroke:var(--line);stroke-width:.8;fill:none}.axis{stroke:var(--soft);stroke-width:1.2;fill:none}
.line{stroke:currentColor;stroke-width:1.8;fill:none;stroke-linejoin:round}.spread,.whisker{stroke:currentColor;stroke-width:1;opacity:.6}
.whisker{stroke:var(--ink)}circle{fill:currentColor}.mark{fill:none;stroke:var(--bad);stroke-width:1.4}
.dots{stroke:currentColor;stroke-linecap:round;fill:none}.dots.top{opacity:.4}.bar{fill:currentColor}
.published .line{stroke-dasharray:6 4}.published .bar{opacity:.55;stroke:currentColor;stroke-dasharray:3 2;fill-opacity:.4}
.c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}.k{color:var(--k)}.old{color:var(--old)}
.p0{color:var(--p0)}.p1{color:var(--p1)}.p2{color:var(--p2)}.p3{color:var(--p3)}.p4{color:var(--p4)}.p5{color:var(--p5)}
.p6{color:var(--p6)}.p7{color:var(--p7)}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--soft)}
nav ul{columns:2;padding-left:1.1rem}
@media (max-width:34rem){body{font-size:15px;padding:.8rem .7rem 3rem}nav ul{columns:1}}
@media print{:root{--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--panel:#fff;--c0:#0060a8;--c1:#2f9bd8;--c2:#004b4f;--k:#333;
--p0:#d05a00;--p1:#a8327a;--p2:#00805a;--p3:#a07800;--p4:#7a4a1e;--p5:#c0392b;--p6:#5f7d16;--p7:#7d5ba6;--old:#777;--good:#0a6b45;--bad:#b3261e}
body{max-width:none;font-size:10.5pt}h2{break-before:page}figure,.means,.misses,tr{break-inside:avoid}h3,h4{break-after:avoid}
.scroll,figure .paper{overflow:visible}svg{max-width:15cm;min-width:0}nav{display:none}th,td{white-space:normal;padding:.15rem .35rem}}
";
