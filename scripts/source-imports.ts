import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** One import of a source file. */
export interface SourceImport {
  /** Path from the root of the repository, with `/`. */
  file: string
  line: number
  /** A path below `src/`, or the name of a package or of a Node module. */
  target: string
  /** Whether only types are imported, so that nothing is left at run time. */
  isTypeOnly: boolean
}

const statement =
  /^(?:import|export)\b(?<clause>[\w\s{},*$]*?)\bfrom\s*['"](?<named>[^'"]+)['"]|(?:^import|\bimport\()\s*['"](?<bare>[^'"]+)['"]/gm

/** The imports in a file's text, including `import()` and type imports. */
export function importsIn(file: string, text: string): SourceImport[] {
  return [...text.matchAll(statement)].map((match) => {
    const { clause = '', named, bare } = match.groups ?? {}
    const specifier = named ?? bare ?? ''
    return {
      file,
      line: text.slice(0, match.index).split('\n').length,
      target: specifier.startsWith('.')
        ? normalize(join(dirname(file), specifier))
            .replaceAll('\\', '/')
            .replace(/\.js$/, '.ts')
        : specifier,
      isTypeOnly: /^\s*type\b/.test(clause),
    }
  })
}

/** The file of a component, if that is what a path leads to. */
function componentOf(target: string): string {
  return target.startsWith('src/') && !existsSync(target) && existsSync(`${target}x`) ? `${target}x` : target
}

/** Every import of every file below `src/`. */
export function sourceImports(): SourceImport[] {
  return globSync('src/**/*.{ts,tsx}').flatMap((file) =>
    importsIn(file.replaceAll('\\', '/'), readFileSync(file, 'utf8')).map((found) => ({
      ...found,
      target: componentOf(found.target),
    })),
  )
}

/** The module that a path below `src/` belongs to. */
export function moduleOf(path: string): string {
  return path.split('/')[1] ?? ''
}

/** An arrow from one name to another. */
export type Arrow = readonly [from: string, to: string]

/** The cycles: groups of names that reach each other, each sorted. Empty if there are none. */
export function cyclesOf(arrows: Iterable<Arrow>): string[][] {
  const targets = new Map<string, Set<string>>()
  for (const [from, to] of arrows) {
    if (!targets.has(from)) targets.set(from, new Set())
    if (from !== to) targets.get(from)?.add(to)
  }
  // Tarjan's strongly connected components.
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []
  const visit = (name: string): number => {
    const place = order.size
    order.set(name, place)
    lowest.set(name, place)
    open.push(name)
    for (const next of targets.get(name) ?? []) {
      const reached = order.has(next) ? (open.includes(next) ? (order.get(next) ?? place) : place) : visit(next)
      lowest.set(name, Math.min(lowest.get(name) ?? place, reached))
    }
    if (lowest.get(name) === place) {
      const cycle = open.splice(open.indexOf(name))
      if (cycle.length > 1) cycles.push(cycle.sort())
    }
    return lowest.get(name) ?? place
  }
  for (const name of targets.keys()) if (!order.has(name)) visit(name)
  return cycles
}
