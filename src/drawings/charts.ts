import { type Shape, shape } from './local-map.js'

/** Charts of a report. Colours come from the classes of the page around them, so that light, dark and paper differ. */

/** A bar from 0 to `to` of `longest`, solid as far as `solidTo`; `undefined` if there is nothing to show. */
export function rangeBar(solidTo: number | null, to: number | null, longest: number, name: string): Shape | undefined {
  if (solidTo === null || to === null || longest <= 0) return undefined
  const width = (value: number) => Math.round((Math.max(0, value) / longest) * 1_000) / 10
  return shape(
    'svg',
    { class: 'bar', viewBox: '0 0 100 10', preserveAspectRatio: 'none', role: 'img', 'aria-label': name },
    shape('rect', { class: 'light', width: width(to), height: 10 }),
    shape('rect', { class: 'solid', width: width(solidTo), height: 10 }),
  )
}

interface BarOfDay {
  label: string
  total: number
  part: number
}

/** One bar a label with its total above it, and another colour for a part of it at its foot. */
export function bars(rows: readonly BarOfDay[], name: string): Shape {
  const most = Math.max(1, ...rows.map(({ total }) => total))
  // Few bars are as wide as those of a week, in the middle.
  const step = 100 / Math.max(7, rows.length)
  const left = (100 - step * rows.length) / 2
  // More labels would run into each other.
  const every = Math.ceil(rows.length / 11)
  const drawn = rows.map(({ label, total, part }, index) => {
    const middle = (left + index * step + step / 2).toFixed(2)
    const heightOf = (count: number) => (count / most) * 30
    const bar = (count: number, kind: string) =>
      shape('rect', {
        class: kind,
        x: (left + index * step + step * 0.1).toFixed(2),
        y: (34 - heightOf(count)).toFixed(2),
        width: (step * 0.8).toFixed(2),
        height: heightOf(count).toFixed(2),
      })
    return shape(
      'g',
      {},
      shape('title', {}, `${label}: ${total}, ${part} did not end well`),
      bar(total, 'light'),
      bar(part, 'bad'),
      rows.length <= 15
        ? shape('text', { x: middle, y: (32.5 - heightOf(total)).toFixed(2) }, String(total))
        : undefined,
      index % every === 0 ? shape('text', { x: middle, y: 38 }, label) : undefined,
    )
  })
  return shape('svg', { class: 'bars', viewBox: '0 0 100 40', role: 'img', 'aria-label': name }, ...drawn)
}

/** Rows of 24 counts each, darker where there is more. */
export function heatMap(rows: readonly (readonly number[])[], labels: readonly string[]): Shape {
  const most = Math.max(1, ...rows.flat())
  const cells = rows.flatMap((row, down) =>
    row.map((count, hour) =>
      shape(
        'rect',
        {
          x: hour * 4 + 8,
          y: down * 4 + 4,
          width: 3.6,
          height: 3.6,
          class: 'heat',
          'fill-opacity': (0.06 + 0.94 * (count / most)).toFixed(2),
        },
        shape('title', {}, `${labels[down]} ${hour}:00: ${count}`),
      ),
    ),
  )
  const hours = [0, 3, 6, 9, 12, 15, 18, 21].map((hour) => shape('text', { x: hour * 4 + 9.8, y: 2.6 }, String(hour)))
  const days = labels.map((label, down) => shape('text', { class: 'day', x: 0, y: down * 4 + 6.8 }, label))
  return shape(
    'svg',
    { class: 'hours', viewBox: '0 0 105 33', role: 'img', 'aria-label': 'Deliveries by hour and weekday' },
    ...hours,
    ...days,
    ...cells,
  )
}
