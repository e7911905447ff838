#include "plugin/report/renderers.h"

namespace plugin::report {

const std::string_view kHtmlStyle = R"css(
:root {
  color-scheme: light dark;
  --text: #1c2128; --dim: #59636e; --back: #fff; --box: #f6f8fa; --line: #d1d9e0;
  --good: #1a7f37; --warning: #9a6700; --bad: #cf222e; --plain: #818b98; --link: #0969da;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6edf3; --dim: #9198a1; --back: #0d1117; --box: #161b22; --line: #3d444d;
    --good: #3fb950; --warning: #d29922; --bad: #f85149; --plain: #6e7681; --link: #4493f8;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 100rem; color: var(--text); background: var(--back);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0 0 .75rem; padding-left: .75rem; border-left: .4rem solid var(--plain); font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; }
h1.good { border-color: var(--good); } h1.warning { border-color: var(--warning); } h1.bad { border-color: var(--bad); }
a { color: var(--link); }
.command, small, .axis, .reason, dt, figcaption { color: var(--dim); }
.command, .code, .time, pre, summary h2 { font-family: ui-monospace, monospace; font-size: .88em; }
.command { margin: 0; }
dl { display: flex; flex-wrap: wrap; gap: .35rem 2rem; margin: .75rem 0; }
dt { font-size: .8rem; } dd { margin: 0; unicode-bidi: isolate; }
.tallies, .words { display: flex; flex-wrap: wrap; gap: .5rem; margin: .75rem 0; padding: 0; list-style: none; }
.tallies li { padding: .35rem .8rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--box); }
.tallies b { font-size: 1.25rem; }
.tallies .good b, .words .good b { color: var(--good); }
.tallies .warning b, .words .warning b { color: var(--warning); }
.tallies .bad b, .words .bad b { color: var(--bad); }
.remark { margin: .5rem 0; padding: .4rem .75rem; border-left: .25rem solid var(--plain); background: var(--box); white-space: pre-wrap; }
.remark.warning { border-color: var(--warning); } .remark.bad { border-color: var(--bad); }
pre { margin: .25rem 0 .75rem; padding: .5rem .75rem; border-radius: .4rem; background: var(--box); white-space: pre-wrap; }
ol p { margin: 0; }
#tools { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .5rem; align-items: center;
  padding: .6rem 0; background: var(--back); }
[hidden], #tools[hidden] { display: none; }
#tools input { flex: 1 1 16rem; }
input, button, #tools a { padding: .35rem .7rem; border: 1px solid var(--line); border-radius: .4rem; color: inherit;
  background: var(--box); font: inherit; text-decoration: none; cursor: pointer; }
input { cursor: text; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { max-width: 32rem; overflow-wrap: break-word; padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; unicode-bidi: isolate; }
th { white-space: nowrap; color: var(--dim); font-weight: 600; }
th button { margin: 0; padding: 0; border: 0; background: none; font-weight: inherit; }
th[aria-sort=ascending] button::after { content: " \2191"; } th[aria-sort=descending] button::after { content: " \2193"; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.time { white-space: nowrap; }
.verdict { display: inline-block; padding: 0 .5rem; border: 1px solid var(--plain); border-radius: 1rem; font-size: .85rem; white-space: nowrap; }
.verdict.good { color: var(--good); border-color: var(--good); }
.verdict.warning { color: var(--warning); border-color: var(--warning); }
.verdict.bad { color: var(--bad); border-color: var(--bad); }
details.crd { margin: .75rem 0; padding: .25rem 1rem; border: 1px solid var(--line); border-radius: .5rem;
  content-visibility: auto; contain-intrinsic-size: auto 3rem; }
summary { padding: .4rem 0; cursor: pointer; }
summary h2 { display: inline; margin: 0; font-size: 1rem; }
.share { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: center; }
.bar { display: block; flex: 1 1 20rem; width: 100%; min-width: 8rem; height: .8rem; border-radius: .2rem; background: var(--line); }
rect { fill: var(--plain); } rect.good { fill: var(--good); } rect.warning { fill: var(--warning); } rect.bad { fill: var(--bad); }
td .bar { width: 12rem; margin-top: .3rem; }
.table { overflow-x: auto; }
.timeline { margin: 1rem 0; } .timeline svg { display: block; width: 100%; height: 3rem; border-bottom: 1px solid var(--line); }
.timeline rect { fill: var(--link); }
.axis { display: flex; justify-content: space-between; margin: 0; font-size: .8rem; }
@media print {
  :root { --text: #000; --dim: #444; --back: #fff; --box: #fff; --line: #bbb; }
  body { max-width: none; padding: 0; font-size: 9pt; }
  #tools { display: none; }
  .table { overflow: visible; }
  details.crd { content-visibility: visible; break-inside: auto; }
  details.crd::details-content { content-visibility: visible; block-size: auto; }
  tr, figure, li { break-inside: avoid; }
  thead { display: table-header-group; }
  rect, .bar { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

const std::string_view kHtmlStyleHash = "'sha256-AEgXLlM3d2LFuzw+3HhVNXwxrWSXr07Jkp6stwVX3oY='";

}  // namespace plugin::report
