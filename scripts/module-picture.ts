import { readFileSync, writeFileSync } from 'node:fs'
import { isWaypoint, type LayeredGraph, layered } from './layered-graph.ts'
import { moduleOf, sourceImports } from './source-imports.ts'

const picture = 'docs/modules.svg'
const box = { width: 190, height: 58 }
const waypointWidth = 24
const gap = 26
const layerHeight = 116
const margin = 24
const legendHeight = 36

/** What each module is for, in a few words. */
const purposes: Readonly<Record<string, string>> = {
  commands: 'one file per command',
  cli: 'flags, output, exit codes',
  bulk: 'resumable runs over a file',
  sandbox: 'the service, embedded',
  listener: 'receive, journal, forward',
  client: 'requests, retries, rate limits',
  drawings: 'maps and charts as data',
  testing: 'a sandbox for tests',
  scenarios: 'days of traffic, played',
  drift: 'service against contract',
  report: 'metrics from events',
  ui: 'a page in the browser',
  profiles: 'environments, keys, secrets',
  render: 'cards, tables, timelines',
  webhooks: 'sign, verify, post, check',
  contract: 'operations, schemas, events',
  postgres: 'sessions with the primary',
  shared: 'JSON, durations, errors',
}

interface Place {
  x: number
  y: number
  width: number
}

/** The modules of `src/`, each with those that it imports. */
function moduleGraph(): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const { file, target } of sourceImports()) {
    const from = moduleOf(file)
    const to = target.startsWith('src/') ? moduleOf(target) : from
    if (!graph.has(from)) graph.set(from, new Set())
    if (to !== from) graph.get(from)?.add(to)
  }
  return graph
}

/** The modules that the package exports, by its `exports`. */
function publishedModules(): Set<string> {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> }
  return new Set(Object.keys(exports).map((name) => name.replace('./', '')))
}

function placesOf({ layers }: LayeredGraph): { places: Map<string, Place>; width: number; height: number } {
  const widthOf = (place: string) => (isWaypoint(place) ? waypointWidth : box.width)
  const spanOf = (layer: readonly string[]) => layer.reduce((sum, place) => sum + widthOf(place) + gap, -gap)
  const width = Math.max(...layers.map(spanOf)) + 2 * margin
  const places = new Map<string, Place>()
  for (const [row, layer] of layers.entries()) {
    let x = (width - spanOf(layer)) / 2
    for (const place of layer) {
      places.set(place, { x, y: margin + row * layerHeight, width: widthOf(place) })
      x += widthOf(place) + gap
    }
  }
  return { places, width, height: 2 * margin + (layers.length - 1) * layerHeight + box.height + legendHeight }
}

/** Where the arrows of one box begin or end: spread over the middle of its edge, in the order of their other ends. */
function portsOf(graph: LayeredGraph, places: ReadonlyMap<string, Place>, side: 'out' | 'in'): Map<string, number> {
  const steps = graph.routes.flatMap((route) => route.slice(1).map((to, at) => ({ from: route[at] ?? '', to })))
  const middle = (name: string) => (places.get(name)?.x ?? 0) + (places.get(name)?.width ?? 0) / 2
  const ports = new Map<string, number>()
  for (const [name, { width }] of places) {
    const own = steps
      .filter(({ from, to }) => (side === 'out' ? from : to) === name)
      .sort((a, b) => (side === 'out' ? middle(a.to) - middle(b.to) : middle(a.from) - middle(b.from)))
    for (const [index, { from, to }] of own.entries()) {
      const spread = own.length === 1 || isWaypoint(name) ? 0 : (index / (own.length - 1) - 0.5) * width * 0.6
      ports.set(`${from}|${to}`, middle(name) + spread)
    }
  }
  return ports
}

/** An arrow's path: a curve from layer to layer, straight down past the boxes of each layer between. */
function pathOf(route: readonly string[], places: ReadonlyMap<string, Place>, out: Ports, into: Ports): string {
  let path = ''
  for (const [at, to] of route.slice(1).entries()) {
    const from = route[at] ?? ''
    const key = `${from}|${to}`
    const [x1, y1] = [out.get(key) ?? 0, (places.get(from)?.y ?? 0) + box.height]
    const isLast = at === route.length - 2
    const [x2, y2] = [into.get(key) ?? 0, (places.get(to)?.y ?? 0) - (isLast ? 3 : 0)]
    const bend = (y2 - y1) * 0.55
    path += `${path === '' ? `M${round(x1)} ${y1}` : `V${y1}`}C${round(x1)} ${round(y1 + bend)} ${round(x2)} ${round(y2 - bend)} ${round(x2)} ${y2}`
  }
  return path
}
type Ports = ReadonlyMap<string, number>

const round = (value: number) => Math.round(value * 10) / 10

function boxOf(name: string, { x, y }: Place, isPublished: boolean): string {
  const purpose = purposes[name]
  if (purpose === undefined) throw new Error(`src/${name} has no purpose in scripts/module-picture.ts`)
  const middle = round(x + box.width / 2)
  return (
    `    <g${isPublished ? ' class="published"' : ''}><rect x="${round(x)}" y="${y}" width="${box.width}" height="${box.height}" rx="8"/>` +
    `<text class="name" x="${middle}" y="${y + 25}">${name}</text><text x="${middle}" y="${y + 44}">${purpose}</text></g>`
  )
}

/** The modules of `src/` and their imports, drawn from the imports themselves. */
export function modulePicture(): string {
  const graph = layered(moduleGraph())
  const published = publishedModules()
  const { places, width, height } = placesOf(graph)
  const out = portsOf(graph, places, 'out')
  const into = portsOf(graph, places, 'in')
  const names = graph.layers.map((layer) => layer.filter((place) => !isWaypoint(place)))
  const label = `Modules from top to bottom: ${names.map((layer) => layer.join(', ')).join('; ')}`
  const arrows = graph.routes.map(
    (route) =>
      `    <path marker-end="url(#tip)" d="${pathOf(route, places, out, into)}"><title>${route[0]} imports ${route.at(-1)}</title></path>`,
  )
  const boxes = [...places]
    .filter(([name]) => !isWaypoint(name))
    .map(([name, place]) => boxOf(name, place, published.has(name)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${label}">`,
    '  <style>',
    '    svg { background: #ffffff; font: 12px system-ui, "Segoe UI", sans-serif; }',
    '    path { fill: none; stroke: #7a8794; stroke-width: 1.5; } marker path { fill: #7a8794; stroke: none; }',
    '    rect { fill: #f3f5f8; stroke: #a9b4bf; stroke-width: 1.2; } .published rect { fill: #e3eefc; stroke: #3b78c3; }',
    '    text { fill: #53606c; text-anchor: middle; } .name { fill: #14202b; font-size: 16px; font-weight: 600; }',
    '    .legend { text-anchor: start; }',
    '    @media (prefers-color-scheme: dark) {',
    '      svg { background: #0d1117; } path { stroke: #76838f; } marker path { fill: #76838f; }',
    '      rect { fill: #1a212b; stroke: #4d5966; } .published rect { fill: #14283f; stroke: #5a9be6; }',
    '      text { fill: #9aa7b4; } .name { fill: #e6edf3; }',
    '    }',
    '  </style>',
    '  <defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    ...arrows,
    ...boxes,
    `    <g class="published"><rect x="${margin}" y="${height - margin - 14}" width="20" height="14" rx="3"/></g>`,
    `    <text class="legend" x="${margin + 28}" y="${height - margin - 3}">published as dlv-cli/NAME. An arrow means “imports”; arrows that a longer path implies are left out.</text>`,
    '</svg>',
    '',
  ].join('\n')
}

if (import.meta.main) writeFileSync(picture, modulePicture())
