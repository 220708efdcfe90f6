// The style sheet of the HTML page: one column, light and dark, no external resource.
#pragma once

#include <string_view>

namespace regatta::report {

inline constexpr std::string_view style_sheet = R"css(
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #1b1c1d; --soft: #5d6166; --rule: #dcdedf; --panel: #f2f3f3;
  --accent: #0b5cad; --bad: #a3261b;
  --c0: #0b5cad; --c1: #b34700; --c2: #00765a; --c3: #96316f; --c4: #6b5b00; --c5: #2e7d9c; --c6: #7a4b2a; --c7: #4a4a4a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #151617; --ink: #e9eaeb; --soft: #a2a7ac; --rule: #34373a; --panel: #1f2123; --accent: #74b4f5; --bad: #ff9a8d;
    --c0: #74b4f5; --c1: #f5a25d; --c2: #4fcfa6; --c3: #e391c4; --c4: #dcc75a; --c5: #7cc7e2; --c6: #cfa181; --c7: #c4c4c4; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1rem; font-weight: 600; color: var(--soft); margin: 0 0 .5rem; }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .5rem; padding-top: .75rem; border-top: 1px solid var(--rule); }
h3 { font-size: .9rem; margin: 1rem 0 .25rem; color: var(--soft); font-weight: 600; }
.headline { font-size: 1.25rem; line-height: 1.35; font-weight: 600; margin: 0 0 .5rem; text-wrap: pretty; }
.finding { margin: 0 0 .35rem; }
.counts, .note, figcaption { color: var(--soft); font-size: .9rem; }
.counts b, figcaption b { color: var(--ink); }
.bad { color: var(--bad); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1.25rem 0 0; padding: .75rem 1rem;
  background: var(--panel); border-radius: 6px; font-size: .85rem; }
dt { color: var(--soft); } dd { margin: 0; }
figure { margin: 1rem 0 0; } figcaption { margin-bottom: .75rem; }
.row { display: grid; grid-template-columns: minmax(7rem, 13rem) minmax(0, 1fr) 11.5rem; column-gap: .75rem; align-items: center;
  font-size: .9rem; line-height: 26px; }
.value { white-space: nowrap; font-variant-numeric: tabular-nums; color: var(--soft); } .value b { color: var(--ink); }
.scale .name { text-align: right; } .scale span { color: var(--soft); font-size: .8rem; }
svg { display: block; } .plot, .lines { width: 100%; overflow: visible; }
svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
.grid { stroke: var(--rule); stroke-width: 1; } .one { stroke: var(--soft); stroke-width: 1.5; }
.bar { stroke: var(--accent); stroke-width: 2; } .dot { fill: var(--accent); stroke: var(--accent); stroke-width: 2; }
.hollow { fill: var(--page); } .rung { stroke: var(--accent); stroke-width: 12; opacity: .35; }
.legend { margin: .25rem 0; font-size: .85rem; } .legend span { display: inline-flex; align-items: center; gap: .35rem; margin-right: 1.1rem; }
.lines line:not(.grid) { stroke-width: 2; }
.s0 { stroke: var(--c0); fill: var(--c0); } .s1 { stroke: var(--c1); fill: var(--c1); stroke-dasharray: 7 3; }
.s2 { stroke: var(--c2); fill: var(--c2); stroke-dasharray: 2 3; } .s3 { stroke: var(--c3); fill: var(--c3); stroke-dasharray: 9 3 2 3; }
.s4 { stroke: var(--c4); fill: var(--c4); } .s5 { stroke: var(--c5); fill: var(--c5); stroke-dasharray: 7 3; }
.s6 { stroke: var(--c6); fill: var(--c6); stroke-dasharray: 2 3; } .s7 { stroke: var(--c7); fill: var(--c7); stroke-dasharray: 9 3 2 3; }
path[class^="s"] { stroke-dasharray: none; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; } th.n, td.n { text-align: right; }
tbody th { padding-top: .9rem; font-weight: 600; } td.text { white-space: normal; overflow-wrap: anywhere; min-width: 16rem; }
ul { padding-left: 1.1rem; } li { margin: .2rem 0; }
.ended { margin: .9rem 0; font-size: .92rem; } .ended p { margin: .1rem 0; }
details { margin: .75rem 0; } summary { cursor: pointer; }
pre { background: var(--panel); padding: .75rem 1rem; border-radius: 6px; font-size: .8rem; overflow-x: auto; overflow-wrap: normal; }
code { font-size: .92em; }
@media (max-width: 36rem) {
  .row { grid-template-columns: 1fr auto; } .row .plot { grid-column: 1 / 3; grid-row: 2; } .row.scale span { display: none; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } .headline { font-size: 1.1rem; }
}
@media print { body { max-width: none; } }
)css";

}  // namespace regatta::report
