// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// The style sheet of the report: light and dark, for phones, desktops and paper.

#ifndef DETOPS_CLI_REPORT_STYLE_H_
#define DETOPS_CLI_REPORT_STYLE_H_

#include <string_view>

namespace detops::cli {

inline constexpr std::string_view kReportStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #f7f8f9; --card: #ffffff; --ink: #1f2933; --faint: #52606d; --line: #e1e6eb;
  --c0: #0b6e99; --c1: #b4530a; --c2: #5b4bb7; --reference: #66727f;
  --good: #17693f; --good-soft: #e3f4ea; --bad: #a61b12; --bad-soft: #fdeceb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161b; --card: #1a2027; --ink: #e4e9ee; --faint: #a5b2bf; --line: #303a45;
    --c0: #5cc0ea; --c1: #f2a65a; --c2: #b3a6ff; --reference: #93a1af;
    --good: #6fdca4; --good-soft: #16352a; --bad: #ff9d94; --bad-soft: #41201f;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--ground); color: var(--ink); line-height: 1.55;
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans",
    Arial, sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
main, header, footer { max-width: 72rem; margin: 0 auto; padding: 0 2rem; }
header { padding-top: 4rem; }
h1 { font-size: 2.25rem; line-height: 1.15; letter-spacing: -0.02em; margin: 0 0 0.75rem; }
h2 { font-size: 1.5rem; line-height: 1.25; letter-spacing: -0.01em; margin: 4rem 0 0.75rem; }
h3 { font-size: 1.1rem; margin: 2.5rem 0 0.75rem; }
p { margin: 0 0 1rem; max-width: 44rem; }
a { color: var(--c0); }
code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  font-size: 0.9em; }
.faint { color: var(--faint); }
.verdict { font-size: 1.25rem; margin: 0 0 0.5rem; max-width: none; }
nav { margin-top: 1.5rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1.5rem; margin: 0;
  padding: 0; }
.badge { display: inline-block; border-radius: 1em; padding: 0 0.7em; font-weight: 600;
  font-size: 0.85em; white-space: nowrap; }
.pass { color: var(--good); background: var(--good-soft); }
.fail { color: var(--bad); background: var(--bad-soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem;
  margin: 2rem 0 0; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.tile { padding: 1rem 1.25rem; }
.tile dt { color: var(--faint); font-size: 0.9rem; }
.tile dd { margin: 0.1rem 0 0; font-size: 1.6rem; font-weight: 600; line-height: 1.25;
  letter-spacing: -0.01em; }
.card.failures { border-left: 4px solid var(--bad); padding: 1.25rem 1.5rem; margin-top: 2rem; }
.failures h2 { margin: 0 0 0.5rem; font-size: 1.2rem; }
.failures ul { margin: 0; padding-left: 1.2rem; }
.failures li { margin: 0.5rem 0; }
.card { margin: 1rem 0; }
.pair > .card { margin: 0; }
.scroll { overflow-x: auto; }
.scroll:focus-visible { outline: 2px solid var(--c0); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
caption { text-align: left; padding: 0.8rem 1rem 0.3rem; color: var(--faint); }
th, td { padding: 0.5rem 1rem; text-align: left; vertical-align: top; white-space: nowrap;
  border-top: 1px solid var(--line); overflow-wrap: normal; }
thead th { border-top: 0; color: var(--faint); font-weight: 500; }
tbody th { font-weight: 500; }
tbody th:has(small) { white-space: normal; overflow-wrap: anywhere; min-width: 12rem; }
.check { white-space: nowrap; }
td.prose { white-space: normal; min-width: 22rem; }
tbody th small { font-weight: 400; }
td.figure, th.figure { text-align: right; }
th small, td small { display: block; color: var(--faint); font-size: 0.85em; }
table.facts th, table.facts td { white-space: normal; }
table.facts tr:first-child > * { border-top: 0; }
details { margin: 0.75rem 0; }
summary { cursor: pointer; padding: 0.8rem 1rem; border-radius: 10px; }
summary:focus-visible { outline: 2px solid var(--c0); }
details.card > .scroll { border-top: 1px solid var(--line); border-radius: 0; }
.pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1.5rem;
  margin: 1rem 0; }
.pair > * { min-width: 0; }
.charts { align-items: start; }
.charts > figure { position: sticky; top: 1rem; }
.card > .scroll { margin: 0; border-radius: 10px; }
.key .scroll { max-height: 38rem; overflow-y: auto; }
.key thead th { position: sticky; top: 0; background: var(--card); }
.key td, .key th { padding: 0.3rem 0.6rem; }
.key th:first-child { padding-left: 1rem; }
.key td:nth-child(2) { white-space: normal; overflow-wrap: anywhere; min-width: 11rem; }
figure { margin: 0; padding: 1.25rem; }
figcaption { margin-bottom: 0.75rem; font-weight: 600; }
figcaption small { display: block; font-weight: 400; font-size: 0.9rem; color: var(--faint); }
figure > p { margin: 0.75rem 0 0; font-size: 0.9rem; }
figure > svg { display: block; width: 100%; height: auto; }
.chart text { font-size: 13px; fill: var(--ink); }
.chart .axis { fill: var(--faint); }
.chart .middle { text-anchor: middle; }
.chart .end { text-anchor: end; }
.chart .grid { stroke: var(--line); }
.chart .base { stroke: var(--faint); }
.s0, .b0 { --series: var(--c0); }
.s1, .b1 { --series: var(--c1); }
.s2, .b2 { --series: var(--c2); }
.chart .reference { --series: var(--reference); }
.chart .line { stroke: var(--series); stroke-width: 2; fill: none; stroke-linejoin: round; }
.chart .reference .line { stroke-dasharray: 6 4; }
.chart .marker { fill: var(--series); stroke: var(--card); stroke-width: 1.5; }
.chart .reference .marker { fill: var(--card); stroke: var(--series); }
.chart .bar { fill: var(--series); }
.chart .leader { stroke: var(--faint); stroke-width: 1; opacity: 0.6; }
.chart .number { font-weight: 600; paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.chart .roof { stroke: var(--ink); stroke-width: 2; fill: none; stroke-linejoin: round; }
.chart .under { fill: var(--c0); opacity: 0.06; }
footer { padding-top: 4rem; padding-bottom: 4rem; color: var(--faint); font-size: 0.9rem; }
@media (max-width: 64rem) {
  .chart text { font-size: 15px; }
}
@media (max-width: 44rem) {
  .pair { grid-template-columns: minmax(0, 1fr); }
}
@media (max-width: 30rem) {
  main, header, footer { padding-left: 1rem; padding-right: 1rem; }
  header { padding-top: 2rem; }
  h1 { font-size: 1.75rem; }
  h2 { margin-top: 3rem; }
  .tiles { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0.75rem; }
  .tile { padding: 0.75rem 0.9rem; }
  .tile dd { font-size: 1.2rem; }
  figure { padding: 0.9rem 0.75rem; }
  th, td { padding: 0.45rem 0.75rem; }
}
@media print {
  :root {
    color-scheme: light;
    --ground: #ffffff; --card: #ffffff; --ink: #1f2933; --faint: #52606d; --line: #cbd2d9;
    --c0: #0b6e99; --c1: #b4530a; --c2: #5b4bb7; --reference: #66727f;
    --good: #17693f; --good-soft: #ffffff; --bad: #a61b12; --bad-soft: #ffffff;
  }
  @page { margin: 15mm; }
  html { font-size: 11px; }
  main, header, footer { max-width: none; padding: 0; }
  nav { display: none; }
  h2 { margin-top: 2rem; }
  h2, h3, summary, caption { break-after: avoid; }
  figure, tr, .tile, li { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; block-size: auto; }
  .scroll, .key .scroll { overflow: visible; max-height: none; }
  th, td { white-space: normal; padding: 0.25rem 0.4rem; overflow-wrap: anywhere; }
  tbody th:has(small), .check { white-space: nowrap; }
td.prose { min-width: 0; }
  .charts > figure { position: static; }
  td.figure, th.figure { white-space: nowrap; }
  thead { display: table-header-group; }
  .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  .tiles { grid-template-columns: repeat(4, minmax(0, 1fr)); }
  .chart text { font-size: 15px; }
}
)css";

}  // namespace detops::cli

#endif  // DETOPS_CLI_REPORT_STYLE_H_
