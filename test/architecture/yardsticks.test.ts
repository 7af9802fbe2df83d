import { globSync, readFileSync } from 'node:fs'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, it } from 'vitest'

/** The size of files, functions and commands, and the exceptions with what makes each one better as it is. */

const shortest = { lines: 25 }
const longest = { command: 120, function: 60, imports: 15 }

/** Faces of modules, variants for other platforms, and entries of programs, threads and children. */
const shortByKind = [/\/(?:index|internal)(?:\.web)?\.ts$/, /\.web\.ts$/, /\.generated\.|\.d\.ts$/, /^src\/commands\//]

const shortFiles: Readonly<Record<string, readonly string[]>> = {
  'a browser takes the variant beside it': [
    'src/client/clock.ts',
    'src/client/user-agent.ts',
    'src/client/wait-for-loader.ts',
    'src/shared/bytes.ts',
    'src/shared/timers.ts',
  ],
  'its types must need nothing of Node': ['src/webhooks/receivers/body-like.ts'],
  'the entry of a program, or what one and its child agree on': [
    'src/cli/program/start.ts',
    'src/cli/process/warnings.ts',
    'src/cli/query/protocol.ts',
  ],
  'read without a build by the scripts that write the docs': ['src/cli/program/flag-text.ts'],
  'loaded on demand, so that a start does not pay for it': ['src/shared/young-generation.ts'],
  'what two modules share that may not import each other': [
    'src/cli/command/write-flags.ts',
    'src/cli/doctor/finding.ts',
    'src/cli/webhooks/signature-failure.ts',
    'src/scenarios/junit.ts',
    'src/shared/exit-codes.ts',
    'src/shared/sleep.ts',
    'src/ui/page/models/palette.ts',
    'src/ui/server/routes.ts',
    'src/webhooks/conformance/junit.ts',
  ],
}

const longFunctions: Readonly<Record<string, readonly string[]>> = {
  'one object of functions over a state that nobody else may touch': [
    'src/bulk/record/group-writer.ts createGroupWriter',
    'src/cli/webhooks/hotkeys.ts listenKeys',
    'src/client/prepare-call.ts callPreparer',
    'src/client/transport/network-transport.ts networkTransport',
    'src/listener/forward/queue.ts forwardQueue',
    'src/listener/journal/postgres/accept.ts openAccept',
    'src/listener/journal/postgres/journal.ts openPostgresJournal',
    'src/listener/journal/postgres/reader.ts postgresReader',
    'src/listener/journal/sqlite/group-commit.ts groupCommit',
    'src/listener/journal/sqlite/reader.ts journalReader',
    'src/postgres/client.ts connectClient',
    'src/postgres/session.ts sessionOf',
    'src/webhooks/conformance/life.ts createLife',
    'src/webhooks/receivers/receiver.ts receiver',
  ],
  'a screen or a part of the page, whose tree is read as one': [
    'src/ui/page/components/deliveries/list.tsx DeliveriesList',
    'src/ui/page/components/deliveries/list.tsx Rows',
    'src/ui/page/components/deliveries/list-pages.ts usePages',
    'src/ui/page/components/deliveries/map.tsx OpenMarket',
    'src/ui/page/components/form-fields.tsx Field',
    'src/ui/page/components/installation/changes.tsx PolicyChanges',
    'src/ui/page/components/palette.tsx Palette',
    'src/ui/page/components/time/clocks.tsx Clocks',
    'src/ui/page/components/time/faults.tsx Faults',
    'src/ui/page/components/webhooks/journal.tsx Gaps',
    'src/ui/page/components/webhooks/receivers.tsx ReceiverTestPanel',
    'src/ui/page/screens/deliveries.tsx DeliveriesScreen',
    'src/ui/page/screens/delivery.tsx Card',
    'src/ui/page/screens/delivery.tsx Loaded',
    'src/ui/page/screens/event.tsx EventScreen',
    'src/ui/page/screens/live.tsx LiveScreen',
    'src/ui/page/screens/report.tsx ReportScreen',
  ],
  'steps in the order that they happen in, each a line or two': [
    'src/archive/event-rows.ts deliveryRows',
    'src/cli/deliveries/board/live-board.ts showLiveBoard',
    'src/cli/orders/update.ts updateMany',
    'src/cli/query/run-query.ts startQuery',
    'src/cli/ui/inspector.ts inspected',
    'src/sandbox/sandbox.ts openOn',
    'src/scenarios/player.ts play',
    'src/ui/server/server.ts startInspector',
  ],
}

const longCommands: readonly string[] = []

const wideFiles: Readonly<Record<string, readonly string[]>> = {
  'a flow of the command line from its flags to what is printed': [
    'src/cli/deliveries/board/live-board.ts',
    'src/cli/command/base-command.ts',
    'src/cli/bulk/bulk-run.ts',
    'src/cli/bulk/carry-out.ts',
    'src/cli/deliveries/watch-problems.ts',
    'src/cli/errors/report.ts',
    'src/cli/orders/sheets/column-map.ts',
    'src/cli/orders/create-one.ts',
    'src/cli/orders/quote.ts',
    'src/cli/orders/update.ts',
    'src/cli/serving/listen.ts',
    'src/cli/serving/serve-sandbox.ts',
    'src/cli/session/session.ts',
    'src/cli/orders/sheets/by-account.ts',
    'src/cli/sync/sync.ts',
    'src/cli/webhooks/send-again.ts',
    'src/commands/events/replay.ts',
    'src/commands/webhooks/send.ts',
  ],
  'a screen of the page, with its parts': [
    'src/ui/page/components/delivery/panels.tsx',
    'src/ui/page/components/installation/changes.tsx',
    'src/ui/page/screens/deliveries.tsx',
    'src/ui/page/screens/delivery.tsx',
    'src/ui/page/screens/event.tsx',
  ],
  'puts the parts of a module together': [
    'src/client/client.ts',
    'src/client/prepare-call.ts',
    'src/listener/listener.ts',
    'src/sandbox/control/state.ts',
    'src/sandbox/service/execution.ts',
    'src/sandbox/service/service.ts',
    'src/ui/server/deliveries/detail.ts',
    'src/ui/server/server.ts',
  ],
}

const sources = globSync('src/**/*.{ts,tsx}').filter((file) => !/\.generated\.|\.d\.ts$/.test(file))

interface Node {
  type?: string
  start: number
  end: number
  id?: { name?: string }
  key?: { name?: string }
  body?: unknown
}

interface Measured {
  file: string
  lines: number
  imports: number
  functions: { name: string; lines: number }[]
}

function measured(file: string): Measured {
  const source = readFileSync(file, 'utf8')
  const lineOf = (at: number) => source.slice(0, at).split('\n').length
  const program = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file)
  const functions: Measured['functions'] = []
  const visit = (node: unknown, name: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { type = '', start, end, id, key } = node as Node
    const named = id?.name ?? key?.name ?? name
    if (/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) && end - start > 1_000) {
      const lines = lineOf(end) - lineOf(start) + 1
      if (lines > longest.function) functions.push({ name: `${file} ${named}`, lines })
    }
    for (const part of Object.values(node)) visit(part, named)
  }
  visit(program.body, '')
  const imports = program.body.filter(({ type }) => type === 'ImportDeclaration').length
  return { file, lines: source.split('\n').length - 1, imports, functions }
}

const listed = (table: Readonly<Record<string, readonly string[]>>) => Object.values(table).flat().sort()

describe('The house', () => {
  const all = sources.map(measured)

  it('has no file that is shorter than a page, but those of a kind or with a reason', () => {
    const short = all.filter(
      ({ file, lines }) => lines < shortest.lines && !shortByKind.some((kind) => kind.test(file)),
    )
    expect(short.map(({ file }) => file).sort()).toEqual(listed(shortFiles))
  })

  it('has commands of flags and order of work alone', () => {
    const long = all.filter(({ file, lines }) => file.startsWith('src/commands/') && lines > longest.command)
    expect(long.map(({ file }) => file).sort()).toEqual([...longCommands].sort())
  })

  it('has functions that are seen whole', () => {
    const long = all.flatMap(({ functions }) => functions)
    expect(long.map(({ name }) => name).sort()).toEqual(listed(longFunctions))
  })

  it('has few files that know many others', () => {
    const wide = all.filter(({ file, imports }) => imports > longest.imports && !/\/(?:index|internal)\.ts$/.test(file))
    expect(wide.map(({ file }) => file).sort()).toEqual(listed(wideFiles))
  })
})
