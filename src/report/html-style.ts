/** The styles of a report's page: a narrow screen, a wide one, light, dark, and paper. */
export const styleSheet = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #16202a; --quiet: #5a6772; --line: #d9e0e6; --solid: #1f6feb; --light: #b6cff5; --bad: #c2410c; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --quiet: #9aa7b3; --line: #2b3540; --solid: #6ea8fe; --light: #2a4365; --bad: #fb923c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 24px 20px 48px; }
h1 { font-size: 24px; margin: 0; } h2 { font-size: 16px; margin: 32px 0 8px; }
header p, small, th[scope=col] { color: var(--quiet); }
header p { margin: 4px 0 0; }
nav { display: flex; flex-wrap: wrap; gap: 8px; max-width: 1080px; margin: 0 auto; padding: 20px 20px 0; }
nav input { position: absolute; opacity: 0; } nav label, .chip { border: 1px solid var(--line); border-radius: 999px; padding: 3px 12px; font-size: 13px; font-weight: 500; cursor: pointer; max-width: 100%; overflow-wrap: anywhere; }
nav input:checked + label { background: var(--solid); border-color: var(--solid); color: var(--ground); } nav input:focus-visible + label { outline: 2px solid var(--solid); outline-offset: 2px; }
.chip { display: inline-block; vertical-align: middle; cursor: auto; color: var(--quiet); }
.tiles { display: grid; grid-template-columns: repeat(6, 1fr); gap: 12px; margin: 20px 0 0; }
.tiles div { border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
.tiles dt { color: var(--quiet); font-size: 13px; } .tiles dd { margin: 2px 0 0; font-size: 20px; font-weight: 600; }
.tiles small { display: block; font-size: 12px; font-weight: 400; min-height: 1.45em; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; white-space: nowrap; font-weight: 400; }
th:first-child { text-align: left; padding-left: 0; } th[scope=col] { font-size: 13px; }
th.chart, td.chart { width: 34%; min-width: 110px; padding-right: 0; }
svg { display: block; width: 100%; } svg.bar { height: 10px; } svg.bars, svg.hours { max-width: 640px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 0 40px; }
time { white-space: nowrap; }
.key { margin: 6px 0 0; color: var(--quiet); font-size: 13px; } .key i { display: inline-block; width: 10px; height: 10px; } i.light { background: var(--light); } i.bad { background: var(--bad); }
svg text { fill: var(--quiet); font-size: 2.8px; text-anchor: middle; } svg text.day { text-anchor: start; }
.solid { fill: var(--solid); } .light { fill: var(--light); } .bad { fill: var(--bad); } .heat { fill: var(--solid); }
ul { padding-left: 20px; }
@media (max-width: 960px) { .tiles { grid-template-columns: repeat(3, 1fr); } }
@media (max-width: 560px) { body { font-size: 13px; } .tiles { grid-template-columns: 1fr 1fr; } main { padding: 16px 12px 32px; } nav { padding: 12px 12px 0; } h1 { font-size: 20px; } th.chart, td.chart { display: none; } th, td { padding: 5px 3px; } th { white-space: normal; } .groups th[scope=row] { white-space: nowrap; } .groups td:last-child, .groups th:last-child { padding-right: 0; } th[scope=col] { font-size: 12px; } }
@page { margin: 14mm; }
@media print { nav { display: none; } :root { --ground: #ffffff; --text: #000000; --quiet: #444444; --line: #cccccc; --solid: #1f6feb; --light: #b6cff5; --bad: #c2410c; } body { font-size: 11px; } main { max-width: none; padding: 0; } h1 { font-size: 18px; } h2 { font-size: 13px; margin: 18px 0 4px; break-after: avoid; } th, td { padding: 3px 8px; } .tiles { grid-template-columns: repeat(6, 1fr); gap: 8px; margin-top: 12px; } .tiles div { padding: 6px 8px; } .tiles dd { font-size: 15px; } .tiles dt, .tiles small, .key, th[scope=col] { font-size: 10px; } .pair { grid-template-columns: 1fr 1fr; gap: 0 24px; } .scroll { overflow: visible; } .tiles, .pair, svg, tr, ul, p { break-inside: avoid; } thead { display: table-header-group; } * { print-color-adjust: exact; } }
`
