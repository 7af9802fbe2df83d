import { writeFileSync } from 'node:fs'
import { moduleOf, sourceImports } from './source-imports.ts'

const picture = 'docs/modules.svg'
const box = { width: 132, height: 44, gap: 28 }
const layerHeight = 112
const margin = 24

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

/** How far above the leaves a module stands: one more than the highest that it imports. */
function layersOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const heights = new Map<string, number>()
  const heightOf = (name: string, above: readonly string[] = []): number => {
    if (above.includes(name)) throw new Error(`a circle of modules: ${[...above, name].join(' → ')}`)
    const known = heights.get(name)
    if (known !== undefined) return known
    const height = Math.max(-1, ...[...(graph.get(name) ?? [])].map((next) => heightOf(next, [...above, name]))) + 1
    heights.set(name, height)
    return height
  }
  const layers: string[][] = []
  for (const name of [...graph.keys()].sort()) {
    const height = heightOf(name)
    layers[height] = [...(layers[height] ?? []), name]
  }
  return layers.reverse()
}

/** Arrows that say something new: where a longer way leads to the same module, the direct arrow is left out. */
function isImplied(graph: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const reaches = (name: string): boolean => [...(graph.get(name) ?? [])].some((next) => next === to || reaches(next))
  return [...(graph.get(from) ?? [])].some((next) => next !== to && reaches(next))
}

/** The modules of `src/` and their imports, drawn from the imports themselves. */
export function modulePicture(): string {
  const graph = moduleGraph()
  const layers = layersOf(graph)
  const widest = Math.max(...layers.map((layer) => layer.length))
  const width = 2 * margin + widest * box.width + (widest - 1) * box.gap
  const height = 2 * margin + (layers.length - 1) * layerHeight + box.height
  const places = new Map<string, { x: number; y: number }>()
  for (const [row, layer] of layers.entries()) {
    const span = layer.length * box.width + (layer.length - 1) * box.gap
    for (const [column, name] of layer.entries())
      places.set(name, { x: (width - span) / 2 + column * (box.width + box.gap), y: margin + row * layerHeight })
  }
  const arrows = [...graph].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => !isImplied(graph, from, to))
      .sort()
      .map((to) => {
        const start = places.get(from) ?? { x: 0, y: 0 }
        const end = places.get(to) ?? { x: 0, y: 0 }
        const bend = Math.max(24, (end.y - start.y - box.height) / 2)
        const [x1, y1] = [start.x + box.width / 2, start.y + box.height]
        const [x2, y2] = [end.x + box.width / 2, end.y - 2]
        return `    <path d="M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}"><title>${from} imports ${to}</title></path>`
      }),
  )
  const boxes = [...places].map(
    ([name, { x, y }]) =>
      `    <g><rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="6"/>` +
      `<text x="${x + box.width / 2}" y="${y + box.height / 2 + 5}">${name}</text></g>`,
  )
  const label = `Modules from top to bottom: ${layers.map((layer) => layer.join(', ')).join('; ')}`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="${label}">`,
    '  <style>',
    '    svg { background: #ffffff; font: 15px system-ui, sans-serif; }',
    '    path { fill: none; stroke: #68737d; stroke-width: 1.5; } marker path { fill: #68737d; stroke: none; }',
    '    rect { fill: #eef2f6; stroke: #3b4a57; stroke-width: 1.5; } text { fill: #14202b; text-anchor: middle; }',
    '    @media (prefers-color-scheme: dark) {',
    '      svg { background: #0d1117; } rect { fill: #1c2530; stroke: #8b98a5; } text { fill: #e6edf3; }',
    '      path { stroke: #8b98a5; } marker path { fill: #8b98a5; }',
    '    }',
    '  </style>',
    '  <defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    '  <g>',
    ...arrows.map((arrow) => arrow.replace('<path ', '<path marker-end="url(#tip)" ')),
    '  </g>',
    '  <g>',
    ...boxes,
    '  </g>',
    '</svg>',
    '',
  ].join('\n')
}

if (import.meta.main) writeFileSync(picture, modulePicture())
