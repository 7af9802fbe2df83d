import { bars, heatMap, rangeBar } from '../drawings/charts.js'
import { markupOf, type Shape } from '../drawings/local-map.js'
import { moneyText } from '../render/words.js'
import { escapeHtml } from '../shared/texts.js'
import { weekdays } from '../trade/zoned-time.js'
import { type Activity, unsureZonesText } from './activity.js'
import type { Metrics } from './metrics.js'
import { gapText, type Report } from './report.js'
import {
  durationMetrics,
  furthestText,
  metricLabels,
  percentText,
  pointsText,
  promiseLabels,
  shareMetrics,
} from './rows.js'

/**
 * A report as one HTML file: styles and charts are in it, there is no script and nothing to be fetched, so that it
 * opens offline and prints. It holds no name and no phone number.
 */
export function reportHtml(report: Report, activity: Activity): string {
  return reportPage([{ name: '', report, activity }])
}

/** A report of a page, and whose it is. */
export interface NamedReport {
  /** The account, or what stands for all of them. */
  name: string
  report: Report
  activity: Activity
}

/** The reports of several accounts as one file, of which one is shown at a time: the first until another is chosen. */
export function reportPage(reports: readonly NamedReport[]): string {
  const [first] = reports
  const period = first?.report.period
  const title = `Deliveries ${[period?.from ?? '', period?.to ?? ''].map((time) => time.slice(0, 10)).join(' to ')}`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="color-scheme" content="light dark">',
    // By which a later run knows the page as its own.
    '<meta name="generator" content="dlv report">',
    `<title>${escapeHtml(title)}</title>`,
    `<style>${styleSheet}${reports.length === 1 ? '' : reports.map((_, at) => shownRule(at)).join('')}</style>`,
    '</head>',
    '<body>',
    ...(reports.length === 1 ? [] : [choice(reports)]),
    ...reports.map((one, at) => content(one, at, title)),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

/** Of several reports, the one whose button is chosen. */
function shownRule(at: number): string {
  return `body:has(#account-${at}:not(:checked)) main.account-${at} { display: none; }\n`
}

/** A chip for each report; they need no script. */
function choice(reports: readonly NamedReport[]): string {
  const chips = reports.map(
    ({ name }, at) =>
      `<input type="radio" name="account" id="account-${at}"${at === 0 ? ' checked' : ''}><label for="account-${at}">${escapeHtml(name)}</label>`,
  )
  return `<nav aria-label="Accounts">${chips.join('')}</nav>`
}

function content({ name, report, activity }: NamedReport, at: number, title: string): string {
  return [
    `<main class="account-${at}">`,
    header(report, title, name),
    tiles(report),
    part('Times', timesTable(report)),
    part('Rates', sharesTable(report)),
    '<div class="pair">',
    part('Days', daysChart(activity)),
    part('Hours of the week', hoursChart(activity)),
    '</div>',
    part('Why deliveries did not end well', reasonsTable(report)),
    part('Webhooks', webhooksTable(report)),
    part('By group', groupsTable(report)),
    part('Left out', leftOutList(report)),
    '</main>',
  ].join('\n')
}

function part(heading: string, content: string): string {
  return content === '' ? '' : `<section><h2>${escapeHtml(heading)}</h2>${content}</section>`
}

function header({ period, before, gaps }: Report, title: string, name: string): string {
  const compared =
    before === null ? '' : ` Compared with ${dayMinute(before.period.from)} to ${dayMinute(before.period.to)}.`
  return `<header><h1>${whole(title)}${name === '' ? '' : ` <span class="chip">${escapeHtml(name)}</span>`}</h1><p>${dayMinute(period.from)} to ${dayMinute(period.to)} UTC.${compared}</p>${gapsList(gaps)}</header>`
}

function gapsList(gaps: Report['gaps']): string {
  return gaps
    .map(({ from, to, events, profile }) => {
      const whose = profile === undefined ? '' : `${escapeHtml(profile)}: `
      return `<p>${whose}${gapText(dayMinute(from), `${dayMinute(to)} UTC`, events)}.</p>`
    })
    .join('')
}

function dayMinute(time: string): string {
  return whole(time.slice(0, 16).replace('T', ' '))
}

/** Text whose dates and times are not broken over two lines. */
function whole(text: string): string {
  return escapeHtml(text).replace(/\d{4}-\d\d-\d\d(?: \d\d:\d\d)?/g, '<time>$&</time>')
}

function tiles(report: Report): string {
  const { metrics, before, money } = report
  const shown: [label: string, value: string, change: string][] = [
    ['Deliveries', String(report.deliveries), before === null ? '' : `${before.deliveries} before`],
    ['On time', percent(metrics.onTime.value), pointsText(metrics.onTime.value, before?.metrics.onTime.value)],
    [
      'Completion',
      percent(metrics.completion.value),
      pointsText(metrics.completion.value, before?.metrics.completion.value),
    ],
    [
      'Click to door, p50',
      span(metrics.clickToDoor.p50),
      before === null ? '' : `${span(before.metrics.clickToDoor.p50)} before`,
    ],
    [
      'Price a drop',
      moneyCell(money.pricePerDropCents, money.currency),
      `all-in ${moneyCell(money.allInPerDropCents, money.currency)}`,
    ],
    ['Waste', moneyCell(money.wasteCents, money.currency), `tips ${moneyCell(money.tipsCents, money.currency)}`],
  ]
  const items = shown.map(
    ([label, value, change]) =>
      `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}<small>${escapeHtml(change)}</small></dd></div>`,
  )
  return `<dl class="tiles">${items.join('')}</dl>`
}

function timesTable({ metrics, before }: Report): string {
  const longest = Math.max(1, ...durationMetrics.map((metric) => metrics[metric].p95 ?? 0))
  const rows = durationMetrics.map((metric) => {
    const { p50, p90, p95, n } = metrics[metric]
    const cells = [span(p50), span(p90), span(p95), String(n), before === null ? '' : span(before.metrics[metric].p50)]
    return row(metricLabels[metric], cells, rangeBar(p50, p95, longest, metricLabels[metric]) ?? null)
  })
  return table(['', 'p50', 'p90', 'p95', 'n', 'before', ''], rows)
}

function sharesTable({ metrics, before }: Report): string {
  const rows = shareMetrics.map((metric) => {
    const { value, n } = metrics[metric]
    const cells = [percent(value), `of ${n}`, pointsText(value, before?.metrics[metric].value)]
    return row(labelOf(metric, metrics), cells, rangeBar(value, value, 1, metricLabels[metric]) ?? null)
  })
  return table(['', 'share', '', 'change', ''], rows)
}

function labelOf(metric: (typeof shareMetrics)[number], metrics: Metrics): string {
  const { promise } = metrics.onTime
  if (metric !== 'onTime' || promise === 'none') return metricLabels[metric]
  return `${metricLabels.onTime} (${promiseLabels[promise]})`
}

function daysChart({ days }: Activity): string {
  if (days.length === 0) return ''
  const drawn = bars(
    days.map(({ day, deliveries, failed }) => ({ label: day.slice(5), total: deliveries, part: failed })),
    'Deliveries a day; the lower part did not end well',
  )
  return `${markupOf(drawn)}<p class="key"><i class="light"></i> deliveries <i class="bad"></i> of them did not end well</p>`
}

function hoursChart(activity: Activity): string {
  const { weekdayHours, timeZone } = activity
  if (weekdayHours.flat().every((count) => count === 0)) return ''
  const unsure = unsureZonesText(activity)
  const key = [
    `Accepted deliveries, ${timeZone === undefined ? 'by the clocks of their stores' : `in ${timeZone}`}; at most ${Math.max(...weekdayHours.flat())} in an hour`,
    unsure === '' ? '' : `; not sure of the zone: ${unsure}`,
  ].join('')
  return `${markupOf(heatMap(weekdayHours, weekdays))}<p class="key">${escapeHtml(key)}</p>`
}

function reasonsTable({ reasons, furthest }: Report): string {
  if (reasons.length === 0) return ''
  const most = Math.max(...reasons.map(({ count }) => count))
  const rows = reasons.map(({ code, group, count }) =>
    row(
      code ?? 'no reason given',
      [group ?? '', String(count)],
      rangeBar(count, count, most, code ?? 'no reason given') ?? null,
    ),
  )
  return `${table(['', 'group', 'count', ''], rows)}<p>${escapeHtml(furthestText(furthest))}.</p>`
}

function webhooksTable({ webhooks }: Report): string {
  const { attempts, lastDeliveryStatus, received } = webhooks
  const statuses = Object.entries(lastDeliveryStatus).filter(([, count]) => count > 0)
  if (attempts === 0 && statuses.length === 0 && received.n === 0) return ''
  const rows = [row('Attempts', [String(attempts)]), ...statuses.map(([status, count]) => row(status, [String(count)]))]
  if (received.n > 0) rows.push(row('Received after, p50 / p95', [`${span(received.p50)} / ${span(received.p95)}`]))
  return table(['', ''], rows)
}

function groupsTable({ by }: Report): string {
  if (by === undefined) return ''
  const rows = by.map(({ key, deliveries, metrics }) =>
    row(key ?? '(none)', [
      String(deliveries),
      percent(metrics.onTime.value),
      percent(metrics.completion.value),
      span(metrics.clickToDoor.p50),
      span(metrics.clickToDoor.p90),
    ]),
  )
  return table(['', 'deliveries', 'on time', 'completion', 'door p50', 'door p90'], rows, 'groups')
}

function leftOutList({ leftOut }: Report): string {
  if (leftOut.length === 0) return ''
  return `<ul>${leftOut.map(({ why, count }) => `<li>${count} ${escapeHtml(why)}</li>`).join('')}</ul>`
}

function table(headers: readonly string[], rows: readonly string[], name = ''): string {
  const last = headers.length - 1
  // The last column without a name holds the charts, which a narrow screen leaves out.
  const chart = (text: string, index: number) => (index === last && text === '' && last > 1 ? ' class="chart"' : '')
  const head = headers.map((text, index) => `<th scope="col"${chart(text, index)}>${escapeHtml(text)}</th>`).join('')
  return `<div class="scroll"><table${name === '' ? '' : ` class="${name}"`}><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

function row(label: string, cells: readonly string[], chart?: Shape | null): string {
  const drawn = chart === undefined ? '' : `<td class="chart">${chart === null ? '' : markupOf(chart)}</td>`
  return `<tr><th scope="row">${escapeHtml(label)}</th>${cells.map((text) => `<td>${escapeHtml(text)}</td>`).join('')}${drawn}</tr>`
}

function percent(value: number | null): string {
  return percentText(value, '–')
}

/** Seconds as `1h 04m`, `12m 30s` or `45s`. */
function span(seconds: number | null): string {
  if (seconds === null) return '–'
  const whole = Math.round(Math.abs(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60), whole % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  const text = hours > 0 ? `${hours}h ${two(minutes)}m` : minutes > 0 ? `${minutes}m ${two(rest)}s` : `${rest}s`
  return seconds <= -1 ? `-${text}` : text
}

function moneyCell(cents: number | null, currency: string): string {
  if (cents === null) return '–'
  return moneyText(cents, currency)
}

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
