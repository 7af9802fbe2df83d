import type { Plot } from './result.ts'

const width = 640
const height = 360
const margin = { left: 78, right: 16, top: 40, bottom: 48 }
const colours = ['#1f6feb', '#bf3989', '#1a7f37', '#9a6700']

/** A line plot as SVG text. */
export function drawPlot(plot: Plot): string {
  const points = plot.series.flatMap((series) => series.points)
  const scale = (value: number) => (plot.logarithmic ? Math.log10(Math.max(value, 1e-9)) : value)
  const xs = points.map((point) => scale(point.x))
  const ys = points.map((point) => scale(point.y))
  const [minX, maxX] = [Math.min(...xs), Math.max(...xs)]
  const [minY, maxY] = plot.logarithmic
    ? [Math.floor(Math.min(...ys)), Math.ceil(Math.max(...ys))]
    : [0, Math.max(...ys) * 1.15]
  const left = (x: number) =>
    margin.left + ((scale(x) - minX) / (maxX - minX || 1)) * (width - margin.left - margin.right)
  const top = (y: number) =>
    height - margin.bottom - ((scale(y) - minY) / (maxY - minY || 1)) * (height - margin.top - margin.bottom)
  const ticks = (from: number, to: number) => {
    const steps = plot.logarithmic ? Math.round(to - from) : 4
    return Array.from({ length: steps + 1 }, (_, index) => from + ((to - from) * index) / steps)
  }
  const unscale = (value: number) => (plot.logarithmic ? 10 ** value : value)
  const grid = ticks(minY, maxY).map((tick) => {
    const y = top(unscale(tick)).toFixed(1)
    return `<line x1="${margin.left}" y1="${y}" x2="${width - margin.right}" y2="${y}" stroke="#d8dee4"/><text x="${margin.left - 8}" y="${y}" dy="4" text-anchor="end">${short(unscale(tick))}</text>`
  })
  const axis = ticks(minX, maxX).map((tick) => {
    const x = left(unscale(tick)).toFixed(1)
    return `<text x="${x}" y="${height - margin.bottom + 18}" text-anchor="middle">${short(unscale(tick))}</text>`
  })
  const lines = plot.series.map((series, index) => {
    const colour = colours[index % colours.length]
    const path = series.points.map((point) => `${left(point.x).toFixed(1)},${top(point.y).toFixed(1)}`).join(' ')
    const dots = plot.logarithmic
      ? series.points
          .map(
            (point) =>
              `<circle cx="${left(point.x).toFixed(1)}" cy="${top(point.y).toFixed(1)}" r="3" fill="${colour}"/>`,
          )
          .join('')
      : ''
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots}<text x="${margin.left + 8 + index * 150}" y="${margin.top - 4}" fill="${colour}">${series.label}</text>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#24292f">`,
    `<title>${plot.title}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${margin.left}" y="18" font-size="14" font-weight="600">${plot.title}</text>`,
    ...grid,
    ...axis,
    ...lines,
    `<text x="${(width + margin.left) / 2}" y="${height - 10}" text-anchor="middle">${plot.xLabel}</text>`,
    `<text transform="translate(16 ${height / 2}) rotate(-90)" text-anchor="middle">${plot.yLabel}</text>`,
    '</svg>',
    '',
  ].join('\n')
}

function short(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`
  if (value >= 1e3) return `${Number((value / 1e3).toPrecision(3))}k`
  return String(Number(value.toPrecision(3)))
}
