//! The head of a page: its style sheet. Light and dark, wide and narrow, and on paper.

use crate::report::style;

/// A whole page around this body.
pub fn around(title: &str, body: &str) -> String {
    let markers = style::definitions();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style></head>\n<body>\n{markers}{body}</body></html>\n"
    )
}

/// Colours that those who see few of them can tell apart as far as so many can be (after Okabe and Ito), darker on
/// white, lighter on black; markers and dashes do the rest, see style.rs.
const STYLE: &str = "\
:root{color-scheme:light dark;--paper:#fdfdfc;--ink:#1c1e21;--soft:#5c6269;--line:#d9dbdd;--panel:#f3f4f4;--shade:#0003;
--good:#0a6b45;--bad:#b3261e;--k:#3a3d40;--old:#777c81;
--c0:#0060a8;--c1:#2f9bd8;--c2:#0a7d86;--c3:#5b3fb5;--c4:#101f6e;--c5:#8a6bd8;--c6:#3f7fb0;--c7:#1fb0b8;--c8:#2d4fd6;--c9:#6f86a8;--c10:#6a1f9e;--c11:#00444a;
--p0:#d05a00;--p1:#a8327a;--p2:#00805a;--p3:#9a7400;--p4:#7a4a1e;--p5:#c0392b;--p6:#5f7d16;--p7:#6b4459;
--p8:#d0a020;--p9:#b98a5a;--p10:#e06c8b;--p11:#6e1313;--p12:#e58a1c;--p13:#8a7f55;--p14:#2f5d1e;--p15:#d24fb0}
@media (prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#e7e8ea;--soft:#a0a6ad;--line:#363b41;--panel:#1e2125;--shade:#000a;
--good:#5fd0a0;--bad:#ff8a80;--k:#c9ccd0;--old:#949aa0;
--c0:#58b4f5;--c1:#9ad4ff;--c2:#4fc4c0;--c3:#b5a1ff;--c4:#6f83ff;--c5:#d3c4ff;--c6:#86b3d6;--c7:#7ff0ee;--c8:#8fa6ff;--c9:#a9bbd4;--c10:#c98bff;--c11:#3f9aa0;
--p0:#ff9d4d;--p1:#f08cc6;--p2:#46cf9c;--p3:#d9b93a;--p4:#c99a68;--p5:#ff7a6b;--p6:#b5d65a;--p7:#c9a0b4;
--p8:#ffe08a;--p9:#e8c9a0;--p10:#ffadc2;--p11:#d96a5a;--p12:#ffc070;--p13:#c2b78a;--p14:#7fc060;--p15:#ff8ae0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:88rem;padding:1.2rem 1rem 4rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
p,.means,.misses,body>ul,details{max-width:60rem}
h1{font-size:1.7rem;line-height:1.2;margin:.4rem 0}h2{font-size:1.35rem;margin:3rem 0 .5rem;padding-top:.8rem;border-top:3px solid var(--line)}
h3{font-size:1.1rem;margin:2.2rem 0 .3rem}
h3 .of,h3 .anchor{color:var(--soft);font-weight:400;font-size:.9rem}.anchor{text-decoration:none}.anchor:hover{text-decoration:underline}
p{margin:.5rem 0}a{color:var(--c0)}.soft,figcaption,.how{color:var(--soft)}.how{font-size:.92rem}.note{color:var(--soft);font-size:.84rem;margin:.1rem 0}
.means{border-left:4px solid var(--c0);padding:.1rem .9rem;background:var(--panel);margin:.8rem 0}
.misses{border-left:4px solid var(--bad);padding:.1rem .9rem;background:var(--panel);margin:.8rem 0}
.scroll,.paper{overflow-x:auto;background:linear-gradient(to right,var(--paper) 1rem,transparent 2.5rem) left/2.5rem 100% no-repeat local,
linear-gradient(to left,var(--paper) 1rem,transparent 2.5rem) right/2.5rem 100% no-repeat local,
linear-gradient(to right,var(--shade),transparent) left/.9rem 100% no-repeat scroll,
linear-gradient(to left,var(--shade),transparent) right/.9rem 100% no-repeat scroll}
.scroll{margin:.6rem 0}
table{border-collapse:collapse;font-size:.88rem;font-variant-numeric:tabular-nums;min-width:min(36rem,100%)}
caption{text-align:left;font-weight:600;font-size:.92rem;padding:.6rem 0 .2rem}
th,td{padding:.22rem .6rem;text-align:right;border-bottom:1px solid var(--line)}td{white-space:nowrap}
th{font-weight:600}thead th{vertical-align:bottom;max-width:11rem;border-bottom:2px solid var(--soft)}
th:first-child{text-align:left;position:sticky;left:0;background:var(--paper)}
.defs{position:absolute}tbody th{font-weight:400;white-space:normal;min-width:9rem;max-width:22rem}.cards tbody th{white-space:nowrap;min-width:0}tr.ours th,th.ours{font-weight:600}
td.words,th.words{text-align:left;white-space:normal;min-width:9rem}
td small{color:var(--soft);display:block;font-size:.76rem}tr.ours td,td.ours{font-weight:600}.ours small{font-weight:400}
tr.old,th.old,td.old{color:var(--soft);font-style:italic}
.met{color:var(--good);font-weight:600}.missed{color:var(--bad);font-weight:600}
figure{margin:1rem 0 1.4rem}figcaption{font-size:.92rem;color:var(--ink)}
.paper svg{display:block;width:100%;max-width:calc(var(--w)*1.2px);height:auto}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;margin:.2rem 0;font-size:.86rem;max-width:60rem}
.legend svg{width:2.25rem;height:.875rem;margin-right:.3rem;vertical-align:-.1rem}.legend span{color:var(--ink)}
svg text{fill:var(--ink);font-family:inherit}.tick,.name{font-size:12px}.label{font-size:13px}.word,svg .end{font-size:11px}
.end,.word{paint-order:stroke;stroke:var(--paper);stroke-width:3px;stroke-linejoin:round}svg .end{fill:currentColor}
.grid{stroke:var(--line);stroke-width:.8;fill:none}.minor{opacity:.45}.axis{stroke:var(--soft);stroke-width:1.2;fill:none}
.line{stroke:currentColor;stroke-width:1.5;fill:none;stroke-linejoin:round}[class^=c] .line{stroke-width:2.5}
.lead{stroke:currentColor;stroke-width:.7;opacity:.6;fill:none}
.spread,.whisker{stroke:currentColor;stroke-width:1;opacity:.6;fill:none}.whisker{stroke:var(--ink)}
.mk{fill:currentColor;stroke:var(--paper);stroke-width:.6}.hollow .mk,.mk.zero{fill:var(--paper);stroke:currentColor;stroke-width:1.4}
.d1 .line{stroke-dasharray:7 3}.d2 .line{stroke-dasharray:2 3}.d3 .line{stroke-dasharray:9 3 2 3}.d4 .line{stroke-dasharray:4 2}
.d5 .line{stroke-dasharray:12 3 2 3 2 3}.hollow .line{opacity:.8}
.mark{fill:none;stroke:currentColor;stroke-width:1.4}
.dots{stroke:currentColor;stroke-linecap:round;fill:none}.dots.top{opacity:.4}.dots.inside{stroke:var(--paper)}
.dots.s1{stroke-linecap:square}.dots.s2,.dots.s3{stroke-linecap:butt;stroke-width:1.4}
.bar{fill:currentColor}.hollow .bar{fill-opacity:.22;stroke:currentColor;stroke-width:1.1}.hollow:not(.alt) .bar{stroke-dasharray:3 2}
.k{color:var(--k)}.old{color:var(--old)}.c0{color:var(--c0)}.c1{color:var(--c1)}.c2{color:var(--c2)}.c3{color:var(--c3)}.c4{color:var(--c4)}.c5{color:var(--c5)}.c6{color:var(--c6)}.c7{color:var(--c7)}.c8{color:var(--c8)}.c9{color:var(--c9)}.c10{color:var(--c10)}.c11{color:var(--c11)}
.p0{color:var(--p0)}.p1{color:var(--p1)}.p2{color:var(--p2)}.p3{color:var(--p3)}.p4{color:var(--p4)}.p5{color:var(--p5)}.p6{color:var(--p6)}.p7{color:var(--p7)}.p8{color:var(--p8)}.p9{color:var(--p9)}.p10{color:var(--p10)}.p11{color:var(--p11)}.p12{color:var(--p12)}.p13{color:var(--p13)}.p14{color:var(--p14)}.p15{color:var(--p15)}
details{margin:.4rem 0}summary{cursor:pointer;color:var(--soft)}
nav>ul{columns:22rem 3;padding:0;list-style:none;font-size:.9rem}nav>ul>li{break-inside:avoid-column;margin-bottom:.5rem}
nav ul ul{padding-left:1rem;list-style:none;font-size:.92em;line-height:1.35}nav ul ul a{text-decoration:none}
@media (max-width:40rem){body{font-size:15px;padding:.8rem .7rem 3rem}
.paper svg{width:calc(var(--w)/620*100%);min-width:100%;max-width:none}.tick,.name{font-size:15px}.label{font-size:15px}.word,svg .end{font-size:13px}
tbody th{white-space:normal;min-width:6rem;max-width:9rem}
.cards,.cards caption,.cards tbody,.cards tr,.cards th,.cards td{display:block;max-width:none;text-align:left;white-space:normal;border:0;padding:0 .2rem}
.cards td:not(.words){display:inline-block;padding-right:1rem}.cards td:empty{display:none!important}.cards thead{display:none}.cards tr{border-bottom:1px solid var(--line);padding:.35rem 0}.cards tbody th{font-weight:600}
.cards td::before{content:attr(data-l) ': ';color:var(--soft);font-weight:400}}
@page{margin:13mm}
@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#333;--line:#bbb;--panel:#fff;--k:#333;--old:#666;--good:#0a6b45;--bad:#b3261e;
--c0:#0060a8;--c1:#2f9bd8;--c2:#0a7d86;--c3:#5b3fb5;--c4:#101f6e;--c5:#8a6bd8;--c6:#3f7fb0;--c7:#1fb0b8;--c8:#2d4fd6;--c9:#6f86a8;--c10:#6a1f9e;--c11:#00444a;--p0:#d05a00;--p1:#a8327a;--p2:#00805a;--p3:#9a7400;--p4:#7a4a1e;--p5:#c0392b;--p6:#5f7d16;--p7:#6b4459;--p8:#d0a020;--p9:#b98a5a;--p10:#e06c8b;--p11:#6e1313;--p12:#e58a1c;--p13:#8a7f55;--p14:#2f5d1e;--p15:#d24fb0}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{max-width:none;font-size:10pt;padding:0}h2{break-before:page}nav h2{break-before:auto}h2,h3,caption,thead,figcaption,.legend{break-after:avoid}
figure,.means,.misses,tr,table:not(.cards),caption{break-inside:avoid}thead{display:table-header-group}
.scroll,.paper{overflow:visible;background:none}.paper svg{max-width:min(100%,calc(var(--w)*.023cm))}.anchor{display:none}
table{font-size:8.5pt;min-width:0}th:first-child{position:static}th,td{padding:.1rem .3rem}tbody th{white-space:normal}
.many{font-size:6.5pt}.many th,.many td{padding:.08rem .16rem}td small{font-size:.82em}}
";
