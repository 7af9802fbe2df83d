/** `npm run module-graph` writes the graph of modules in docs/architecture.md, from the imports of `src/`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { moduleOf, sourceImports } from './source-imports.ts'

const page = 'docs/architecture.md'

/** The page with the current graph between its marks. */
export function withModuleGraph(text: string): string {
  return text.replace(/(?<=<!-- modules -->\n).*(?=<!-- modules: end -->)/s, `\n${mermaid()}\n`)
}

function mermaid(): string {
  const targets = importedModules()
  const published = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).exports).map((path) => path.slice(2))
  const arrows = [...targets].flatMap(([from, own]) =>
    [...own].filter((to) => ![...own].some((via) => reaches(targets, via, to))).map((to) => `  ${from} --> ${to}`),
  )
  const bold = [...targets.keys()].filter((name) => published.includes(name))
  const lines = ['flowchart TD', ...arrows.sort(), `  style ${bold.sort().join(',')} stroke-width:3px`]
  return ['```mermaid', ...lines, '```', ''].join('\n')
}

function importedModules(): Map<string, Set<string>> {
  const targets = new Map<string, Set<string>>()
  for (const { file, target } of sourceImports()) {
    const [from, to] = [moduleOf(file), moduleOf(target)]
    const own = targets.get(from) ?? new Set()
    if (target.startsWith('src/') && to !== from) own.add(to)
    targets.set(from, own)
  }
  return targets
}

function reaches(targets: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  return [...(targets.get(from) ?? [])].some((next) => next === to || reaches(targets, next, to))
}

if (import.meta.main) writeFileSync(page, withModuleGraph(readFileSync(page, 'utf8')))
