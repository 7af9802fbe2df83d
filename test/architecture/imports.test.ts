import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Arrow, cyclesOf, moduleOf, type SourceImport, sourceImports } from '../../scripts/source-imports.js'

/** What commands and the command line stand on. */
const below = [
  'archive',
  'bulk',
  'client',
  'contract',
  'listener',
  'postgres',
  'profiles',
  'render',
  'report',
  'sandbox',
  'scenarios',
  'sent',
  'shared',
  'trade',
  'ui',
  'webhooks',
]

/** Which modules and packages a module may import. Arrows point down this list only. */
const modules: Record<string, { modules: string[]; packages: string[] }> = {
  commands: { modules: ['cli', ...below], packages: ['@oclif/core'] },
  cli: { modules: below, packages: ['@modelcontextprotocol/server', '@oclif/core', 'chalk', 'jq-web', 'zod'] },
  ui: {
    modules: [
      'archive',
      'client',
      'contract',
      'drawings',
      'listener',
      'render',
      'report',
      'shared',
      'trade',
      'webhooks',
    ],
    packages: ['@hono/node-server', '@preact/signals', 'hono', 'preact', 'zod'],
  },
  scenarios: { modules: ['contract', 'sandbox', 'shared', 'webhooks'], packages: ['yaml', 'zod'] },
  report: { modules: ['contract', 'drawings', 'render', 'shared', 'trade'], packages: [] },
  archive: { modules: ['contract', 'postgres', 'sent', 'shared', 'trade', 'webhooks'], packages: [] },
  bulk: { modules: ['client', 'contract', 'postgres', 'sent', 'shared', 'trade'], packages: ['zod'] },
  sent: { modules: ['client', 'contract', 'shared', 'trade'], packages: [] },
  testing: { modules: ['client', 'contract', 'sandbox', 'shared', 'webhooks'], packages: [] },
  drawings: { modules: ['shared', 'trade'], packages: [] },
  sandbox: { modules: ['contract', 'drawings', 'shared', 'trade', 'webhooks'], packages: ['hono', 'zod'] },
  listener: { modules: ['contract', 'postgres', 'shared', 'webhooks'], packages: [] },
  client: { modules: ['contract', 'shared'], packages: ['undici', 'zod'] },
  webhooks: { modules: ['contract', 'shared'], packages: ['zod'] },
  profiles: { modules: ['contract', 'shared'], packages: ['conf', 'zod'] },
  render: { modules: ['contract', 'shared', 'trade'], packages: ['chalk', 'cli-table3'] },
  trade: { modules: ['contract', 'shared'], packages: [] },
  contract: { modules: ['shared'], packages: ['zod'] },
  postgres: { modules: ['shared'], packages: ['pg'] },
  shared: { modules: [], packages: ['@noble/hashes'] },
}

/** Modules whose files are imported one by one; the others are reached by `index.ts` or `internal.ts` only. */
const withoutIndex: readonly string[] = ['shared', 'trade', 'drawings', 'render', 'cli', 'commands']

const sqlFiles = [
  /^src\/sandbox\/store\//,
  /^src\/listener\/journal\//,
  /^src\/bulk\/record\//,
  /^src\/archive\//,
  /^src\/sent\//,
  /^src\/shared\/sqlite\.ts$/,
]
/** Who says which version it is. */
const packageVersion = new Map(
  ['src/client/user-agent.ts', 'src/client/user-agent.web.ts'].map((file) => [file, 'package.json']),
)
const committedJson = ['package.json', 'oclif.manifest.json']

/** What the page in the browser may load; it imports types from anywhere in the module's list. */
const inBrowser = [
  /^src\/ui\/(?:page|wire)\//,
  /^src\/drawings\//,
  /^src\/trade\//,
  /^src\/shared\/(?:command-words|spans|durations)\.ts$/,
  /^preact$/,
  /^preact\/hooks$/,
  /^@preact\/signals$/,
]

/** The rule that an import breaks, in words; nothing where it breaks none. */
function brokenRule({ file, target, isTypeOnly }: SourceImport): string | undefined {
  const from = moduleOf(file)
  if (file.startsWith('src/ui/page/') && !isTypeOnly && !inBrowser.some((allowed) => allowed.test(target)))
    return 'the page may load only itself, drawings, trade, the quoting of shell words, spans in words and preact; types may come from elsewhere'
  const rule = modules[from]
  if (rule === undefined) return `src/${from} is no module of the list`
  if (target.startsWith('node:'))
    return target === 'node:sqlite' && !sqlFiles.some((place) => place.test(file))
      ? 'only sandbox/store, listener/journal, bulk/record, archive, sent and the lock in shared use SQL'
      : undefined
  if (committedJson.includes(target))
    return from === 'cli' || target === packageVersion.get(file)
      ? undefined
      : 'only cli and the user agent read what the package says of itself'
  // What a command prints of other languages, as text.
  if (file === 'src/cli/languages/example-texts.ts' && target.startsWith('examples/')) return undefined
  if (!target.startsWith('src/')) {
    const isAllowed = rule.packages.some((name) => target === name || target.startsWith(`${name}/`))
    return isAllowed ? undefined : `${from} may use these packages only: ${rule.packages.join(', ') || 'none'}`
  }
  const to = moduleOf(target)
  if (to === from) return undefined
  if (!rule.modules.includes(to)) return `${from} may not import ${to}`
  if (withoutIndex.includes(to) || /^src\/\w+\/(?:openapi\/|owner-proof\/)?(?:index|internal)\.ts$/.test(target))
    return undefined
  return `${to} is imported by its index.ts or internal.ts, not past them`
}

/** Where a circle is closed: its arrows, each with the line it stands in. */
function arrowsWithin(circle: readonly string[], nameOf: (path: string) => string): string[] {
  return imports
    .filter(({ file, target }) => nameOf(file) !== nameOf(target))
    .filter(({ file, target }) => circle.includes(nameOf(file)) && circle.includes(nameOf(target)))
    .map(({ file, line, target }) => `${file}:${line} imports ${target}`)
}

/** The folder directly below a module that a file lies in; the file itself where it lies in the module's own folder. */
const folderOf = (path: string) => path.split('/').slice(0, 3).join('/')
const arrowsOf = (nameOf: (path: string) => string): Arrow[] =>
  imports
    .filter(({ target }) => target.startsWith('src/'))
    .map(({ file, target }): Arrow => [nameOf(file), nameOf(target)])

const imports = sourceImports()

describe('The modules of the source', () => {
  it('import only what their rules allow', () => {
    const broken = imports.flatMap((found) => {
      const rule = brokenRule(found)
      return rule === undefined ? [] : [`${found.file}:${found.line} imports ${found.target}: ${rule}`]
    })
    expect(broken).toEqual([])
  })

  it('have no circle of files', () => {
    const whole = (path: string) => path
    expect(cyclesOf(arrowsOf(whole)).map((circle) => arrowsWithin(circle, whole))).toEqual([])
  })

  it('have no circle of folders', () => {
    expect(cyclesOf(arrowsOf(folderOf)).map((circle) => arrowsWithin(circle, folderOf))).toEqual([])
  })

  it('take what they need of Node late by process.getBuiltinModule: the standalone program cannot import it', () => {
    const late = globSync('src/**/*.{ts,tsx}').filter((file) =>
      /\bimport\(\s*['"]node:/.test(readFileSync(file, 'utf8')),
    )
    expect(late).toEqual([])
  })

  it('leave the process and the terminal to the command line', () => {
    const outside = globSync(
      'src/{shared,contract,client,sent,bulk,webhooks,sandbox,scenarios,listener,render,profiles,ui}/**/*.{ts,tsx}',
    ).filter((file) =>
      /\bprocess\.(?:argv|stdout|stderr|exit|exitCode|stdin)\b|\bconsole\./.test(readFileSync(file, 'utf8')),
    )
    // A receiver in an app of its own, which gave no `onError`, hides no failure.
    expect(outside).toEqual(['src/webhooks/receivers/receiver.ts'])
  })

  it('take streams, variables, directory and clock from the context of the run', () => {
    const own = ['src/cli/process/context.ts', 'src/cli/process/streams.ts', 'src/cli/program/start.ts']
    const direct = globSync('src/{cli,commands}/**/*.ts').filter(
      (file) =>
        !own.includes(file) &&
        /\bprocess\.(?:env|stdout|stderr|stdin|cwd|exit|exitCode)\b|Date\.now\(/.test(readFileSync(file, 'utf8')),
    )
    expect(direct).toEqual([])
  })
})

describe('docs/architecture.md', () => {
  it('names in its tables files that exist, from the root or beside the file before', () => {
    const missing: string[] = []
    const rows = readFileSync('docs/architecture.md', 'utf8').match(/^\| .*/gm) ?? []
    for (const line of rows) {
      let folder = '.'
      for (const [, file = ''] of line.matchAll(/`([\w./-]+\.(?:tsx?|js))`/g)) {
        if (file.startsWith('src/')) folder = dirname(file)
        if (!existsSync(file) && !existsSync(join(folder, file))) missing.push(file)
      }
    }
    expect(missing).toEqual([])
  })

  it('lists every module with the packages that it may use', () => {
    const page = readFileSync('docs/architecture.md', 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)\/` \| .+ \| (.+) \|$/gm)]
    const listed = rows.map(([, name = '', packages = '']) => [name, packages === 'none' ? [] : packages.split(', ')])
    const expected = Object.entries(modules).map(([name, { packages }]) => [name, packages])
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected))
  })
})

describe('The reading of imports', () => {
  it('reads the whole source', () => {
    expect(imports.length).toBeGreaterThan(1_000)
    for (const { file, line, target } of imports.filter(({ target }) => target.startsWith('src/')))
      expect(globSync([target, target.replace(/\.ts$/, '.d.ts')]), `${file}:${line}`).toHaveLength(1)
  })
})
