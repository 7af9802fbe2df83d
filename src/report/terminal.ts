import { pad, plainText, shorten, textWidth, wrap } from '../render/plain-text.js'
import { paint, type Style } from '../render/style.js'
import { moneyText } from '../render/words.js'
import { spanText } from '../shared/durations.js'
import { weekdays } from '../trade/zoned-time.js'
import type { Activity } from './activity.js'
import type { Percentiles } from './metrics.js'
import type { Report } from './report.js'
import {
  durationMetrics,
  furthestText,
  metricLabels,
  percentText,
  pointsText,
  promiseLabels,
  shareMetrics,
} from './rows.js'

const blocks = '▁▂▃▄▅▆▇█'
const shades = ' ░▒▓█'

/** A report for people: a page that fits the terminal, from 60 columns. */
export function reportText(report: Report, activity: Activity, style: Style): string {
  return [
    headline(report, style),
    section('Times', durationLines(report, style), style),
    section('Rates', shareLines(report, style), style),
    section('Money', moneyLines(report, style), style),
    section('Why deliveries did not end well', reasonLines(report, style), style),
    section('Webhooks', webhookLines(report, style), style),
    section(`By hour of the week, ${activity.timeZone ?? "in the stores' time"}`, heatLines(activity, style), style),
    section('By group', groupLines(report, style), style),
    section('Left out', leftOutLines(report, style), style),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function headline({ period, deliveries, before }: Report, style: Style): string {
  const count = deliveries === 1 ? '1 delivery' : `${deliveries} deliveries`
  const rest = `  ${minute(period.from)} to ${minute(period.to)} UTC`
  const change =
    before === null ? '' : `${before.deliveries === deliveries ? 'as many' : before.deliveries} in the period before`
  const line = `${paint(style, 'bold', count)}${rest}`
  if (change === '') return line
  return count.length + rest.length + 2 + change.length <= style.columns ? `${line}, ${change}` : `${line}\n${change}`
}

function minute(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}

function section(heading: string, lines: readonly string[], style: Style): string {
  return lines.length === 0 ? '' : [paint(style, 'bold', heading), ...lines.map((line) => `  ${line}`)].join('\n')
}

function durationLines({ metrics, before }: Report, style: Style): string[] {
  const longest = Math.max(1, ...durationMetrics.map((metric) => metrics[metric].p95 ?? 0))
  const [labelWidth, cellWidth] = style.columns < 70 ? [18, 8] : [20, 9]
  const rowOf = (label: string, cells: readonly string[]) =>
    `${pad(label, labelWidth)}${cells.map((cell) => pad(cell, cellWidth, 'right')).join('')}`
  const header = rowOf('', ['p50', 'p90', 'p95', 'n', 'before'])
  const room = Math.min(48, style.columns - 2 - textWidth(header) - 2)
  return [
    paint(style, 'dim', header),
    ...durationMetrics.map((metric) => {
      const { p50, p90, p95, n } = metrics[metric]
      const cells = [seconds(p50), seconds(p90), seconds(p95), String(n), seconds(before?.metrics[metric].p50 ?? null)]
      const line = rowOf(metricLabels[metric], cells)
      return style.accessible || room < 8 ? line : `${line}  ${spanBar(metrics[metric], longest, room, style)}`
    }),
  ]
}

/** From nothing to p50 solid, on to p95 light. */
function spanBar({ p50, p95 }: Percentiles, longest: number, room: number, style: Style): string {
  if (p50 === null || p95 === null) return ''
  const solid = Math.round((Math.max(0, p50) / longest) * room)
  const light = Math.max(0, Math.round((p95 / longest) * room) - solid)
  return `${paint(style, 'cyan', '█'.repeat(solid))}${paint(style, 'dim', '░'.repeat(light))}`
}

/** Seconds as a span; with its sign if it is negative. */
function seconds(value: number | null): string {
  if (value === null) return '-'
  const text = Math.abs(value) < 1 ? '0s' : spanText(Math.round(value) * 1_000)
  return value <= -1 ? `-${text}` : text
}

function shareLines({ metrics, before }: Report, style: Style): string[] {
  const room = Math.min(40, style.columns - 52)
  const lines = shareMetrics.map((metric) => {
    const { value, n } = metrics[metric]
    const change = pointsText(value, before?.metrics[metric].value)
    const cells = [percent(value), `of ${n}`, change].map((cell) => pad(cell, 9, 'right')).join('')
    const line = `${pad(metricLabels[metric], 20)}${cells}`
    const bar =
      value === null || style.accessible || room < 8
        ? ''
        : `  ${paint(style, 'green', '█'.repeat(Math.round(value * room)))}${paint(style, 'dim', '░'.repeat(room - Math.round(value * room)))}`
    return `${line}${bar}`
  })
  const { promise } = metrics.onTime
  return promise === 'none' ? lines : [...lines, paint(style, 'dim', `On time by: ${promiseLabels[promise]}.`)]
}

function percent(value: number | null): string {
  return percentText(value, '-')
}

function moneyLines({ money }: Report, style: Style): string[] {
  const { currency, pricePerDropCents, allInPerDropCents, wasteCents, tipsCents } = money
  const cents = (amount: number | null) => (amount === null ? '-' : moneyText(amount, currency))
  const parts = [
    `price a drop ${cents(pricePerDropCents)}`,
    `all-in a drop ${cents(allInPerDropCents)}`,
    `waste ${cents(wasteCents)}`,
    `tips ${cents(tipsCents)}`,
  ]
  return wrap(parts.join(' · '), style.columns - 2)
}

/** Groups whose names are too long for their column. */
const groupWords: Readonly<Record<string, string>> = { installationAccess: 'installation' }

function reasonLines({ reasons, furthest }: Report, style: Style): string[] {
  const most = Math.max(1, ...reasons.map(({ count }) => count))
  const names = reasons.map(({ code }) => plainText(code ?? 'no reason given'))
  const width = Math.min(Math.max(0, ...names.map(textWidth)), style.columns - 26)
  const room = Math.min(30, style.columns - width - 28)
  const lines = reasons.map(({ group, count }, index) => {
    const bar =
      style.accessible || room < 6 ? '' : `  ${paint(style, 'red', '█'.repeat(Math.ceil((count / most) * room)))}`
    const name = pad(shorten(names[index] ?? '', width), width)
    return `${pad(String(count), 5, 'right')}  ${name}  ${pad(groupWords[group ?? ''] ?? group ?? '', 13)}${bar}`.trimEnd()
  })
  return furthest.length === 0 ? lines : [...lines, ...wrap(furthestText(furthest), style.columns - 2)]
}

function webhookLines({ webhooks }: Report, style: Style): string[] {
  const { attempts, lastDeliveryStatus, received } = webhooks
  const statuses = Object.entries(lastDeliveryStatus)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count} ${status}`)
  if (attempts === 0 && statuses.length === 0 && received.n === 0) return []
  const took = received.n === 0 ? '' : `; received after ${seconds(received.p50)} (p50), ${seconds(received.p95)} (p95)`
  return wrap(`${attempts} attempts; ${statuses.join(', ')}${took}`, style.columns - 2)
}

function heatLines({ weekdayHours, days }: Activity, style: Style): string[] {
  const most = Math.max(0, ...weekdayHours.flat())
  if (most === 0 || style.accessible || style.columns < 60) return []
  const wide = style.columns >= 140 ? 4 : 2
  const hours = Array.from({ length: 24 }, (_, hour) =>
    pad(hour % (wide === 4 ? 1 : 3) === 0 ? String(hour) : '', wide),
  )
  const lines = weekdayHours.map(
    (row, weekday) => `${weekdays[weekday]}  ${row.map((count) => shadeOf(count, most).repeat(wide)).join('')}`,
  )
  const counts = days.slice(-(style.columns - 32)).map(({ deliveries }) => deliveries)
  const peak = Math.max(1, ...counts)
  const spark = counts.map((count) => blocks[Math.min(7, Math.floor((count / peak) * 7.999))]).join('')
  return [`     ${hours.join('')}`.trimEnd(), ...lines, `Days ${spark}  at most ${peak} a day`]
}

function shadeOf(count: number, most: number): string {
  return count === 0 ? '·' : (shades[Math.min(4, 1 + Math.floor((count / most) * 3.999))] ?? ' ')
}

function groupLines({ by }: Report, style: Style): string[] {
  if (by === undefined) return []
  const names = by.map(({ key }) => plainText(key ?? '(none)'))
  const cellWidth = style.columns < 80 ? 9 : 11
  const width = Math.min(Math.max(8, ...names.map(textWidth)), style.columns - 2 - 5 * cellWidth)
  const columns = [cellWidth < 11 ? 'count' : 'deliveries', 'on time', 'complete', 'p50', 'p90']
  return [
    paint(style, 'dim', `${pad('', width)}${columns.map((name) => pad(name, cellWidth, 'right')).join('')}`),
    ...by.map(({ deliveries, metrics }, index) => {
      const { onTime, completion, clickToDoor } = metrics
      const cells = [
        String(deliveries),
        percent(onTime.value),
        percent(completion.value),
        seconds(clickToDoor.p50),
        seconds(clickToDoor.p90),
      ]
      return `${pad(shorten(names[index] ?? '', width), width)}${cells.map((cell) => pad(cell, cellWidth, 'right')).join('')}`
    }),
    paint(style, 'dim', 'p50 and p90: click to door.'),
  ]
}

function leftOutLines({ leftOut }: Report, style: Style): string[] {
  if (leftOut.length === 0) return []
  return wrap(leftOut.map(({ why, count }) => `${count} ${why}`).join(', '), style.columns - 2)
}
