import { escapeHtml } from '../shared/escape-html.js'

/** Charts as SVG text. Colours come from the page's classes, so that light, dark and paper each have their own. */

/** A bar from 0 to `to` of `longest`, solid as far as `solidTo`; empty if there is nothing to show. */
export function rangeBar(solidTo: number | null, to: number | null, longest: number, name: string): string {
  if (solidTo === null || to === null || longest <= 0) return ''
  const width = (value: number) => Math.round((Math.max(0, value) / longest) * 1_000) / 10
  return (
    `<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${escapeHtml(name)}">` +
    `<rect class="light" width="${width(to)}" height="10"/><rect class="solid" width="${width(solidTo)}" height="10"/></svg>`
  )
}

export interface BarOfDay {
  label: string
  total: number
  part: number
}

/** One bar a label with its total above it, and another colour for a part of it at its foot. */
export function bars(rows: readonly BarOfDay[], name: string): string {
  const most = Math.max(1, ...rows.map(({ total }) => total))
  const step = 100 / rows.length
  const every = Math.ceil(rows.length / 15)
  const drawn = rows.map(({ label, total, part }, index) => {
    const x = (index * step + step * 0.1).toFixed(2)
    const width = (step * 0.8).toFixed(2)
    const height = (total / most) * 30
    const foot = (part / most) * 30
    const title = `<title>${escapeHtml(`${label}: ${total}, ${part} did not end well`)}</title>`
    const text =
      index % every === 0 ? `<text x="${(index * step + step / 2).toFixed(2)}" y="38">${escapeHtml(label)}</text>` : ''
    const count =
      rows.length <= 15
        ? `<text x="${(index * step + step / 2).toFixed(2)}" y="${(32.5 - height).toFixed(2)}">${total}</text>`
        : ''
    return (
      `<g>${title}<rect class="light" x="${x}" y="${(34 - height).toFixed(2)}" width="${width}" height="${height.toFixed(2)}"/>` +
      `<rect class="bad" x="${x}" y="${(34 - foot).toFixed(2)}" width="${width}" height="${foot.toFixed(2)}"/>${count}${text}</g>`
    )
  })
  return `<svg class="bars" viewBox="0 0 100 40" role="img" aria-label="${escapeHtml(name)}">${drawn.join('')}</svg>`
}

/** Rows of 24 counts each, darker where there is more. */
export function heatMap(rows: readonly (readonly number[])[], labels: readonly string[]): string {
  const most = Math.max(1, ...rows.flat())
  const cells = rows.flatMap((row, down) =>
    row.map(
      (count, hour) =>
        `<rect x="${hour * 4 + 8}" y="${down * 4 + 4}" width="3.6" height="3.6" class="heat" style="opacity:${(0.06 + 0.94 * (count / most)).toFixed(2)}">` +
        `<title>${escapeHtml(`${labels[down]} ${hour}:00: ${count}`)}</title></rect>`,
    ),
  )
  const hours = [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => `<text x="${hour * 4 + 9.8}" y="2.6">${hour}</text>`)
  const days = labels.map((label, down) => `<text class="day" x="0" y="${down * 4 + 6.8}">${escapeHtml(label)}</text>`)
  return `<svg class="hours" viewBox="0 0 105 33" role="img" aria-label="Deliveries by hour and weekday">${[...hours, ...days, ...cells].join('')}</svg>`
}
