// The style sheet of the HTML page: one column, light and dark, no external resource. tests/report/html_style_test.cpp
// computes the contrast of its colours.
#pragma once

#include <string_view>

namespace regatta::report {

inline constexpr std::string_view style_sheet = R"css(
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #1b1c1d; --soft: #5d6166; --rule: #dcdedf; --panel: #f2f3f3;
  --accent: #0b5cad; --bad: #a3261b; --band: #e3e7ea; --mark: #767b80;
  --c0: #0b5cad; --c1: #b34700; --c2: #00765a; --c3: #96316f; --c4: #6b5b00; --c5: #2e7d9c; --c6: #7a4b2a; --c7: #4a4a4a;
  --h0: #e8e9ea; --f1: #dcebf9; --f2: #b4d4f2; --f3: #86b9ea; --w1: #fbe8d8; --w2: #f6c9a2; --w3: #eda768; }
@media screen and (prefers-color-scheme: dark) {
  :root { --page: #151617; --ink: #e9eaeb; --soft: #a2a7ac; --rule: #34373a; --panel: #1f2123;
    --accent: #74b4f5; --bad: #ff9a8d; --band: #26292c; --mark: #84898e;
    --c0: #74b4f5; --c1: #f5a25d; --c2: #4fcfa6; --c3: #e391c4; --c4: #dcc75a; --c5: #7cc7e2; --c6: #cfa181; --c7: #c4c4c4;
    --h0: #2a2d30; --f1: #1b2f44; --f2: #1f4669; --f3: #235b92; --w1: #3d2a1c; --w2: #5f3a1c; --w3: #824a1a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; letter-spacing: -.01em; margin: .1rem 0 .35rem; text-wrap: pretty; }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
.part { border-top: 1px solid var(--rule); margin: 0; padding: .55rem 0; } .part > summary h2 { display: inline; margin: 0; }
h3 { font-size: .9rem; margin: 1rem 0 .25rem; color: var(--soft); font-weight: 600; }
a { color: var(--accent); } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.finding { margin: 0 0 .35rem; }
.counts, .note, figcaption { color: var(--soft); font-size: .9rem; }
.counts b, figcaption b { color: var(--ink); }
.bad { color: var(--bad); font-weight: 600; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .8rem; margin: 1.25rem 0; }
.cards div { background: var(--panel); border-radius: 8px; padding: .6rem .9rem; font-size: .88rem; } .cards b { display: block; font-size: .95rem; }
.next { margin: 1rem 0 1.25rem; } .next code { background: var(--panel); border-radius: 5px; padding: .15rem .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1.25rem 0 0; padding: .75rem 1rem;
  background: var(--panel); border-radius: 6px; font-size: .85rem; }
dt { color: var(--soft); } dd { margin: 0; }
figure { margin: 1rem 0 0; } figcaption { margin-bottom: .75rem; }
.row { display: grid; grid-template-columns: minmax(7rem, 13rem) minmax(0, 1fr) 18rem; column-gap: .75rem; align-items: center;
  font-size: .9rem; line-height: 26px; }
.overview .row { grid-template-columns: minmax(5rem, 11rem) 5.5rem minmax(0, 1fr); } .overview .name:not(.alone) { padding-left: .8rem; } .base { text-align: right; color: var(--soft); }
.base, .figure { font-variant-numeric: tabular-nums; } svg text.figure { fill: var(--ink); font-weight: 600; }
.overview .whisker { stroke-width: 3; opacity: .5; } .hollow path { fill: var(--page); stroke-width: 1.5; }
.value { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); } .value b { color: var(--ink); }
.clones .value { white-space: normal; line-height: 1.3; }
.scale .name { text-align: right; } .scale span { color: var(--soft); font-size: .8rem; }
svg { display: block; } .plot, .lines, .strip { width: 100%; } .plot, .lines { overflow: visible; }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); stroke-width: 1; fill: none; } .one { stroke: var(--soft); stroke-width: 1.5; }
.band { fill: var(--band); } .crossing { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 5 4; }
.bar { stroke: var(--accent); stroke-width: 2; } .mark { stroke: var(--accent); stroke-width: 2; fill: var(--accent); }
.mark.undecided { fill: var(--page); } .rung { stroke: var(--accent); stroke-width: 12; opacity: .45; } .rung.untold { stroke: var(--mark); }
.exposed { stroke: var(--c1); stroke-width: 12; stroke-dasharray: 3 2; }
.legend { margin: .25rem 0; font-size: .85rem; } .legend span { display: inline-flex; align-items: center; gap: .35rem; margin-right: 1.1rem; }
.lines line { stroke-width: 2; } .lines .grid { stroke-width: 1; }
.s0 { stroke: var(--c0); fill: var(--c0); } .s1 { stroke: var(--c1); fill: var(--c1); stroke-dasharray: 7 3; }
.s2 { stroke: var(--c2); fill: var(--c2); stroke-dasharray: 2 3; } .s3 { stroke: var(--c3); fill: var(--c3); stroke-dasharray: 9 3 2 3; }
.s4 { stroke: var(--c4); fill: var(--c4); } .s5 { stroke: var(--c5); fill: var(--c5); stroke-dasharray: 7 3; }
.s6 { stroke: var(--c6); fill: var(--c6); stroke-dasharray: 2 3; } .s7 { stroke: var(--c7); fill: var(--c7); stroke-dasharray: 9 3 2 3; }
path[class^="s"], .whisker { stroke-dasharray: none; }
.ribbon { opacity: .3; stroke: none; } .r0 { fill: var(--c0); } .r1 { fill: var(--c1); } .r2 { fill: var(--c2); } .r3 { fill: var(--c3); }
.r4 { fill: var(--c4); } .r5 { fill: var(--c5); } .r6 { fill: var(--c6); } .r7 { fill: var(--c7); }
.curve, .roof { fill: none; stroke-width: 2; vector-effect: non-scaling-stroke; } .roof { stroke: var(--mark); stroke-dasharray: 1 4; stroke-linecap: round; }
.strip { border-bottom: 1px solid var(--rule); } .strip path { vector-effect: non-scaling-stroke; fill: none; }
.dots { stroke-width: 4; stroke-linecap: round; } .dots.pilot { stroke-width: 2; }
.d0, .d4 { stroke: var(--c0); } .d1, .d5 { stroke: var(--c1); stroke-linecap: square; } .d2, .d6 { stroke: var(--c2); stroke-linecap: butt; }
.d3, .d7 { stroke: var(--c3); stroke-width: 2; stroke-linecap: butt; }
.flag { stroke: var(--bad); stroke-width: 2; } .histogram { stroke: var(--mark); stroke-width: 3; }
/* A shadow at the edge behind which there is more; it is covered where the table ends. */
.scroll { overflow-x: auto; background: linear-gradient(to right, var(--page) 40%, transparent) 0 / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--page) 40%, transparent) 100% / 2.5rem 100% no-repeat local,
    linear-gradient(to right, var(--mark), transparent) 0 / .6rem 100% no-repeat scroll,
    linear-gradient(to left, var(--mark), transparent) 100% / .6rem 100% no-repeat scroll; }
.sideways { display: none; color: var(--soft); font-size: .8rem; margin: .25rem 0 0; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; } th.n, td.n { text-align: right; }
tbody th { font-weight: 600; } tbody th[scope="rowgroup"] { padding-top: .9rem; }
td.text { white-space: normal; overflow-wrap: anywhere; min-width: 16rem; } td.flags { white-space: normal; min-width: 9rem; }
.heat td { white-space: normal; } .whole { white-space: nowrap; } .alone { font-weight: 600; } .row.alone { font-weight: 400; margin-top: .5rem; }
.heat tbody th { border-bottom: 0; }
.heat { border-collapse: separate; border-spacing: 2px; } .heat td { padding: .35rem .5rem; border: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.h0 { background: var(--h0); } .f1 { background: var(--f1); } .f2 { background: var(--f2); } .f3 { background: var(--f3); }
.w1 { background: var(--w1); } .w2 { background: var(--w2); } .w3 { background: var(--w3); }
.hatched { background: repeating-linear-gradient(45deg, var(--page) 0 5px, var(--rule) 5px 8px); }
.crossed { color: var(--soft); background: linear-gradient(to top right, transparent 48%, var(--rule) 48% 52%, transparent 52%),
  linear-gradient(to bottom right, transparent 48%, var(--rule) 48% 52%, transparent 52%); }
ul, ol { padding-left: 1.3rem; } li { margin: .2rem 0; }
.ended { margin: .9rem 0; font-size: .92rem; } .ended p { margin: .1rem 0; }
details { margin: .75rem 0; } summary { cursor: pointer; }
pre { background: var(--panel); padding: .75rem 1rem; border-radius: 6px; font-size: .8rem; overflow: auto; max-height: 24rem; overflow-wrap: normal; }
code { font-size: .92em; }
@media (max-width: 36rem) {
  .row { grid-template-columns: 1fr auto; } .row .plot, .row .strip { grid-column: 1 / 3; grid-row: 2; } .row.scale span { display: none; }
  .sideways { display: block; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } h1 { font-size: 1.25rem; } .overview .row { grid-template-columns: 1fr auto; } .value { white-space: normal; }
}
@media print { .scroll { background: none; }
  body { max-width: none; } pre { max-height: none; white-space: pre-wrap; }
  details::details-content { content-visibility: visible; block-size: auto; } figure, .ended, tr { break-inside: avoid; } }
)css";

}  // namespace regatta::report
