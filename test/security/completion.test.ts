import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type JsonServer, startJsonServer } from '../support/cli/json-server.js'
import { createCli } from '../support/cli/program.js'
import { createTempDir } from '../support/temp-dir.js'

/** A word that creates a file where a shell executes it. */
const executed = '$(id>OWNED)'

const deliveries = [
  { deliveryId: `del_EVIL${executed}`, clientOrderReference: `EVIL${executed}` },
  { deliveryId: 'del_TWO', clientOrderReference: `two lines\nEVIL${executed}` },
  { deliveryId: '--yes', clientOrderReference: '--config=EVIL' },
  { deliveryId: 'del_TWIN1', clientOrderReference: 'TWIN' },
  { deliveryId: 'del_TWIN2', clientOrderReference: 'TWIN' },
  { deliveryId: 'del_LONG1', clientOrderReference: 'LONG' },
  { deliveryId: 'del_LONG2', clientOrderReference: 'LONGER' },
].map((delivery) => ({ ...delivery, status: 'accepted', createdAt: '2026-03-02T15:00:00Z' }))

const cli = createCli(afterAll)
let service: JsonServer
beforeAll(async () => {
  service = await startJsonServer((path) => {
    if (path.startsWith('/deliveries?')) return JSON.stringify({ deliveries, nextCursor: null })
    if (path.startsWith('/deliveries/'))
      return JSON.stringify({
        ...deliveries[1],
        pickup: { storeReference: `EVIL${executed}`, businessName: 'x\nEVIL' },
      })
    return '{}'
  })
})
afterAll(() => service.close())

/** How each shell is started without settings of the machine, and loads the completion. */
type Shell = readonly [name: string, command: readonly string[], load: string]
const bash: Shell = ['bash', ['bash', '--norc', '--noprofile', '-i'], 'source <(dlv completion bash)']
const shells: readonly Shell[] = [
  bash,
  ['zsh', ['zsh', '-f', '-i'], 'autoload -Uz compinit; compinit -u -D; source <(dlv completion zsh)'],
  ['fish', ['fish', '--no-config', '-i'], 'dlv completion fish | source'],
]

/** Shells that are not on this machine are skipped by name; `DLV_REQUIRE_SHELLS=1` makes them fail instead. */
const isMissing = (shell: string) =>
  process.env.DLV_REQUIRE_SHELLS !== '1' && spawnSync(shell, ['-c', 'exit 0']).error !== undefined

const lines = [
  'deliveries get EVIL',
  'deliveries get del_EVIL',
  'quotes create --dry-run --store EVIL',
  'sandbox play order',
]

const echoing = {
  posix: 'dlv() { if [ "$1" = __complete ]; then command dlv "$@"; else echo "<$*>"; fi; }',
  fish: 'function dlv; if test $argv[1] = __complete; command dlv $argv; else; echo "<$argv>"; end; end',
}

describe.concurrent('TAB and Enter', () => {
  for (const [name, command, load] of shells)
    test.skipIf(isMissing(name))(
      `never execute what names of files, ids and references hold: ${name}`,
      async ({ onTestFinished }) => {
        const folder = createTempDir(onTestFinished)
        writeFileSync(join(folder, `order${executed}.json`), '{}')
        const shell = await cli.startShell(command, { cwd: folder, columns: 200, env: service.env })
        // What is entered is shown as the words that it is: that program has nothing to do.
        shell.type(`${load}\n${name === 'fish' ? echoing.fish : echoing.posix}\n`)
        for (const line of lines) shell.type(`dlv ${line}\t\n`)
        shell.type('echo "en"ded; exit\n')
        await shell.shows('ended')
        await shell.ended
        expect(readdirSync(folder)).toEqual([`order${executed}.json`])
        expect(shell.screen()).toContain(`<sandbox play order${executed}.json>`)
      },
    )
})

const posix = 'dlv() { if [ "$1" = deliveries ]; then echo "<$*>"; else command dlv "$@"; fi; }'
const fish = 'function dlv; if test $argv[1] = deliveries; echo "<$argv>"; else; command dlv $argv; end; end'

// One reference of two orders, and one that another begins with. bash can list at the first TAB, too.
for (const [title, [name, command, load]] of [
  ...shells.map((shell) => [shell[0], shell] as const),
  ['bash that lists at once', ['bash', bash[1], `bind 'set show-all-if-ambiguous on'; ${bash[2]}`]] as const,
] as const)
  test.skipIf(isMissing(name))(`TAB puts no description on the line: ${title}`, async () => {
    const shell = await cli.startShell(command, { columns: 200, env: service.env })
    shell.type(`${load}\n${name === 'fish' ? fish : posix}\n`)
    shell.type('dlv deliveries get TWI\t\ndlv deliveries get LON\t\necho "en"ded; exit\n')
    await shell.shows('ended')
    await shell.ended
    expect(shell.screen()).toMatch(/<deliveries get TWIN>/)
    expect(shell.screen()).toMatch(/<deliveries get LONG>/)
  })

test('Words of the service are candidates only if every shell reads them as they are', async () => {
  const words = async (...line: string[]) => {
    const { stdout } = await cli.run(['__complete', '--', ...line], { env: service.env })
    return stdout.split('\n').filter(Boolean)
  }
  expect(await words('deliveries', 'get', '')).toEqual([
    expect.stringMatching(/^del_TWO\ttwo lines\s?EVIL\$/),
    ...['TWIN\tdel_TWIN1, accepted', 'LONG\tdel_LONG1, accepted', 'LONGER\tdel_LONG2, accepted'],
  ])
  expect((await words('quotes', 'create', '--store', '')).filter((line) => !line.startsWith('STORE-'))).toEqual([])
})

test('PowerShell gets a word in quotes of its own unless it is plain', async () => {
  const { stdout } = await cli.run(['completion', 'powershell'])
  expect(stdout).toContain(String.raw`$word -notmatch '^[\w./+:=-]+$'`)
  expect(stdout).toContain('EscapeSingleQuotedStringContent($word)')
  expect(stdout).not.toContain('CompletionResult]::new($word')
})

test('TAB in a cloned folder sends nothing to the account that its .dlv.json names', async () => {
  const key = 'dlvk_sbx_stored_key_of_prod'
  const own = createCli()
  const added = [
    'profiles',
    'add',
    'prod',
    '--base-url',
    service.env.DLV_BASE_URL ?? '',
    '--api-key-stdin',
    '-e',
    'sandbox',
  ]
  const { exitCode, stderr } = await own.run(added, { stdin: key })
  expect(exitCode, stderr).toBe(0)
  const folder = createTempDir()
  writeFileSync(join(folder, '.dlv.json'), '{"profile":"prod"}')
  service.asked.length = 0
  await own.run(['__complete', '--', 'deliveries', 'get', ''], { cwd: folder })
  await own.run(['__complete', '--', 'quotes', 'create', '--store', ''], { cwd: folder })
  expect(service.asked).toEqual([])
  await own.run(['__complete', '--', '-P', 'prod', 'deliveries', 'get', ''], { cwd: folder })
  expect(service.asked).not.toEqual([])
})
