import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { textWidth } from '../../../src/render/plain-text.js'
import { type Cli, createCli } from '../../support/cli/program.js'
import { type OnTerminal, terminalChanged } from '../../support/cli/terminal.js'
import { testOrder } from '../../support/sandbox/orders.js'
import { startTestSandbox } from '../../support/sandbox/sandboxes.js'
import { until } from '../../support/until.js'

const enter = '\u001b[?1049h\u001b[?25l'
const leave = '\u001b[?25h\u001b[?1049l'

async function seeded(): Promise<Cli> {
  const cli = createCli()
  expect((await cli.run(['sandbox', 'seed', '--count', '64'])).exitCode).toBe(0)
  return cli
}

function startBoard(cli: Cli, columns: number): OnTerminal {
  return cli.startOnTerminal(['deliveries', 'board'], { columns, env: { NO_COLOR: '1', DLV_NO_NOTICE: '1' } })
}

/** What the screen shows after its last complete frame. */
function frameOf(terminal: OnTerminal): string[] {
  const last = terminal.screen().split('\u001b[J').at(-2) ?? ''
  return stripVTControlCharacters(last.slice(last.lastIndexOf('\u001b[H'))).split(/\r+\n/)
}

const frameShows = (terminal: OnTerminal, pattern: RegExp) =>
  until(String(pattern), () => pattern.test(frameOf(terminal).join('\n')))

it('fills the screen at every size, follows a resize, filters, opens a card and quits', async () => {
  const cli = await seeded()
  const board = startBoard(cli, 140)
  await frameShows(board, /PROBLEMS 8 +DISPATCH 8 +TO STORE 8 +TO DOOR 16/)
  expect(board.screen()).toContain(enter)
  expect(frameOf(board)).toHaveLength(40)
  expect(frameOf(board)[0]).toMatch(/^32 under way · 0 late · 8 problems · 0 delivered since \d\d:\d\d/)
  for (const [columns, rows] of [
    [200, 50],
    [60, 15],
    [80, 24],
  ] as const) {
    board.resize(columns, rows)
    await until(`${columns}×${rows}`, () => frameOf(board).length === rows)
    expect(frameOf(board).filter((line) => textWidth(line) > columns)).toEqual([])
  }
  board.resize(30, 5)
  await frameShows(board, /^Needs 60×12/)
  board.resize(80, 24)
  await frameShows(board, /^ORDERS 40$/m)
  await frameShows(board, /MOCK-\w+-\d+ +failed: \w+ +\w+/)
  board.resize(140, 40)
  await frameShows(board, /PROBLEMS 8/)
  board.type('/accepted')
  await frameShows(board, /PROBLEMS 0 +DISPATCH 8 +TO STORE 0 +TO DOOR 0/)
  board.type('\r')
  await frameShows(board, /^filter "accepted"/m)
  board.type('\r')
  await frameShows(board, /Timeline/)
  expect(frameOf(board).join('\n')).toMatch(/dlv deliveries cancel del_/)
  board.type('x?')
  await frameShows(board, /Late means/)
  board.type('x\u001b')
  await frameShows(board, /PROBLEMS 8/)
  board.type('q')
  const { exitCode, stdout } = await board.ended
  expect(exitCode).toBe(0)
  expect(stdout.endsWith(leave)).toBe(true)
  expect(stdout).not.toContain(terminalChanged)
})

it.each([
  ['Ctrl-C', (board: OnTerminal) => board.type('\u0003'), 130],
  ['SIGTERM', (board: OnTerminal) => board.signal('SIGTERM'), 143],
])('leaves the terminal as it was after %s', async (_, end, code) => {
  const board = startBoard(createCli(), 80)
  await frameShows(board, /ORDERS 0/)
  end(board)
  const { exitCode, stdout } = await board.ended
  expect(exitCode).toBe(code)
  expect(stdout.endsWith(leave)).toBe(true)
  expect(stdout).not.toContain(terminalChanged)
})

it('leaves the terminal as it was after an error, and prints the error there', async () => {
  const cli = createCli()
  const env = { DLV_BASE_URL: 'http://127.0.0.1:9/delivery/v1', DLV_API_KEY: 'key', NO_COLOR: '1' }
  const board = cli.startOnTerminal(['deliveries', 'board', '--timeout', '1s'], { env })
  const { exitCode, stdout } = await board.ended
  expect(exitCode).toBe(8)
  expect(stdout.split(leave).at(-1)).toMatch(/error: /)
  expect(stdout).not.toContain(terminalChanged)
})

it('shows what happens while it runs', async () => {
  const cli = createCli()
  const order = ['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'LIVE-1']
  const { deliveryId } = await cli.json<{ deliveryId: string }>(order)
  const board = cli.startOnTerminal(['deliveries', 'watch', '--active', '--interval', '200ms'], {
    columns: 140,
    env: { NO_COLOR: '1' },
  })
  await frameShows(board, /DISPATCH 1/)
  await cli.json(['simulate', deliveryId, '--to', 'driver_at_dropoff'])
  await frameShows(board, /DISPATCH 0 +TO STORE 0 +TO DOOR 1/)
  await frameShows(board, /^LIVE-1 {2}driver_at_dropoff/m)
  await cli.json(['simulate', deliveryId, '--to', 'delivered'])
  await frameShows(board, /^0 under way · 0 late · 0 problems · 1 delivered/)
  board.type('q')
  expect((await board.ended).exitCode).toBe(0)
})

it('is a table without a terminal, and says what to do if a terminal cannot show it', async () => {
  const cli = await seeded()
  const rows = await cli.json<{ stage: string; status: string; lateSeconds: number | null }[]>(['deliveries', 'board'])
  expect(rows).toHaveLength(40)
  expect(rows[0]).toMatchObject({ stage: 'problems', status: 'failed', statusReasonCode: expect.any(String) })
  const { stdout } = await cli.run(['deliveries', 'board'])
  expect(stdout.trimEnd().split('\n')).toHaveLength(40)
  expect(stdout).not.toContain('\u001b')
  const table = await cli.run(['deliveries', 'board', '--once', '--no-color'], { columns: 80 })
  expect(table.stdout).toMatch(/^As of \d\d:\d\d:\d\d\.\s+ORDER +STATUS +MIN +LATE/)
  const refused = await cli.runOnTerminal(['deliveries', 'board'], { env: { TERM: 'dumb' } })
  expect(refused.exitCode).toBe(2)
  expect(refused.stdout).toContain('Use --once')
  expect(refused.stdout).not.toContain(enter)
})

it('keeps a failure for a day', async () => {
  const cli = createCli()
  await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'FAILS'])
  await cli.json(['simulate', 'FAILS', '--to', 'failed'])
  const shown = async () => (await cli.json<unknown[]>(['deliveries', 'board'])).length
  expect(await shown()).toBe(1)
  await cli.run(['sandbox', 'clock', 'advance', '23h'])
  expect(await shown()).toBe(1)
  await cli.run(['sandbox', 'clock', 'advance', '2h'])
  expect(await shown()).toBe(0)
})

it('judges by the time at which everything was read, however long that took', async () => {
  const startMs = Date.now()
  let minutes = 0
  const nowMs = () => startMs + minutes * 60_000
  const { sandbox, caller } = await startTestSandbox({
    clock: { now: nowMs },
    // Each page takes a minute.
    onRequest: ({ path }) => {
      if (!path.endsWith('/health')) minutes++
    },
  })
  await caller.steer('POST', '/capacity', { available: 0 })
  await caller.create(testOrder({ clientOrderReference: 'SLOWLY-READ' }))
  minutes += 41.5
  const env = { DLV_BASE_URL: sandbox.baseUrl, DLV_API_KEY: sandbox.apiKey }
  for (const words of [['board'], ['list', '--problem']]) {
    const before = minutes
    const { stdout } = await createCli().run(['deliveries', ...words, '--json'], { env, nowMs })
    expect(minutes, words.join(' ')).toBeGreaterThan(before)
    expect(JSON.parse(stdout)[0].problem, words.join(' ')).toContain(`no driver for ${Math.floor(minutes)} min`)
  }
})
