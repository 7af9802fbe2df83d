/** Names with those that each points to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** An arrow as the chain of places it passes, one per layer: the two names with waypoints between them. */
export type Route = readonly string[]

/** A graph laid out in layers: every arrow leads down, and the order within a layer keeps crossings few. */
export interface LayeredGraph {
  /** From top to bottom; names and waypoints from left to right. */
  layers: string[][]
  routes: Route[]
}

/**
 * Lays a graph out in layers, as Sugiyama's method does. An arrow that a longer path implies is left out, and one that
 * spans several layers gets a waypoint in each layer between, so that it can be drawn around the names there.
 *
 * @throws if the graph has a cycle
 */
export function layered(graph: Graph): LayeredGraph {
  const layers = layersOf(graph)
  const layerOf = new Map(layers.flatMap((layer, row) => layer.map((name) => [name, row] as const)))
  const routes: Route[] = []
  for (const [from, targets] of graph) {
    for (const to of [...targets].sort()) {
      if (isImplied(graph, from, to)) continue
      const between: string[] = []
      for (let row = (layerOf.get(from) ?? 0) + 1; row < (layerOf.get(to) ?? 0); row++) {
        const waypoint = `${from}→${to}@${row}`
        layers[row]?.push(waypoint)
        between.push(waypoint)
      }
      routes.push([from, ...between, to])
    }
  }
  return { layers: withFewCrossings(layers, routes), routes }
}

/** Whether a place is a waypoint of a long arrow, not a name. */
export function isWaypoint(place: string): boolean {
  return place.includes('@')
}

/** A name's layer, counted from the bottom, is one above the highest name that it points to. */
function layersOf(graph: Graph): string[][] {
  const heights = new Map<string, number>()
  const heightOf = (name: string, path: readonly string[] = []): number => {
    if (path.includes(name)) throw new Error(`a cycle of modules: ${[...path, name].join(' → ')}`)
    const known = heights.get(name)
    if (known !== undefined) return known
    const height = Math.max(-1, ...[...(graph.get(name) ?? [])].map((next) => heightOf(next, [...path, name]))) + 1
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

function isImplied(graph: Graph, from: string, to: string): boolean {
  const reaches = (name: string): boolean => [...(graph.get(name) ?? [])].some((next) => next === to || reaches(next))
  return [...(graph.get(from) ?? [])].some((next) => next !== to && reaches(next))
}

/** Sorts each layer by the mean position of its neighbours, layer by layer down and up, and keeps the best order found. */
function withFewCrossings(layers: string[][], routes: readonly Route[]): string[][] {
  const steps = routes.flatMap((route) => route.slice(1).map((to, at) => [route[at] ?? '', to] as const))
  const order = layers.map((layer) => [...layer])
  let best = layers
  for (let round = 0; round < 12; round++) {
    const isDownward = round % 2 === 0
    for (const row of isDownward ? order.keys() : [...order.keys()].reverse()) {
      const fixed = order[isDownward ? row - 1 : row + 1] ?? []
      order[row] = byMeanPosition(order[row] ?? [], (place) =>
        steps.flatMap(([from, to]) => {
          const [near, far] = isDownward ? [to, from] : [from, to]
          return near === place ? [fixed.indexOf(far)] : []
        }),
      )
    }
    if (round === 0 || crossings(order, steps) < crossings(best, steps)) best = order.map((layer) => [...layer])
  }
  return best
}

function byMeanPosition(layer: readonly string[], neighboursOf: (place: string) => number[]): string[] {
  return layer
    .map((place, at) => {
      const near = neighboursOf(place)
      return { place, mean: near.length === 0 ? at : near.reduce((sum, next) => sum + next, 0) / near.length }
    })
    .sort((a, b) => a.mean - b.mean || (a.place < b.place ? -1 : 1))
    .map(({ place }) => place)
}

function crossings(layers: readonly string[][], steps: readonly (readonly [string, string])[]): number {
  const at = new Map(layers.flatMap((layer, row) => layer.map((place, column) => [place, { row, column }] as const)))
  const spans = steps.map(([from, to]) => ({ from: at.get(from), to: at.get(to) }))
  let count = 0
  for (const [index, a] of spans.entries())
    for (const b of spans.slice(index + 1)) {
      if (a.from === undefined || a.to === undefined || b.from === undefined || b.to === undefined) continue
      if (a.from.row !== b.from.row) continue
      if ((a.from.column - b.from.column) * (a.to.column - b.to.column) < 0) count++
    }
  return count
}
