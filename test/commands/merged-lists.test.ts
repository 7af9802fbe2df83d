import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Cli, createCli } from '../support/cli/program.js'
import { startHttpServer } from '../support/http-server.js'
import { jsonLines } from '../support/json-lines.js'
import { serveSandbox } from '../support/sandbox/served-sandbox.js'

const sandbox = serveSandbox()

const startMs = Date.now() - 3_600_000
const at = (tick: number) => new Date(startMs + tick * 1_000).toISOString()

interface Row {
  deliveryId: string
  createdAt: string
}

/**
 * A service whose accounts have deliveries and an event of each, of which some are of the same moment. The account `broken` fails after its first page.
 */
async function startMerchants(cli: Cli, ticks: Readonly<Record<string, readonly number[]>>) {
  const asked: { key: string; path: string }[] = []
  const origin = await startHttpServer((request, response) => {
    const url = new URL(String(request.url), 'http://localhost')
    const key = String(request.headers.authorization).replace('Bearer key-', '')
    asked.push({ key, path: `${url.pathname}${url.search}` })
    const isEvents = url.pathname.endsWith('/events')
    const query = (name: string) => Date.parse(url.searchParams.get(name) ?? '')
    const rows: Row[] = (ticks[key] ?? []).map((tick, index) => ({
      deliveryId: `del_${key}${index}`,
      createdAt: at(tick),
    }))
    const [from, to] = isEvents ? [query('since'), query('until')] : [query('from'), query('to')]
    const chosen = rows
      .filter(({ createdAt }) => !(Date.parse(createdAt) < from) && !(Date.parse(createdAt) >= to))
      .sort((one, other) => (isEvents ? 1 : -1) * (Date.parse(one.createdAt) - Date.parse(other.createdAt)))
    const first = Number(url.searchParams.get('cursor') ?? 0)
    const size = Math.min(Number(url.searchParams.get('limit') ?? 50), 4)
    response.setHeader('content-type', 'application/json')
    // Its clock is two hours behind, as that of a sandbox that was moved.
    if (key === 'behind') response.setHeader('date', new Date(Date.now() - 7_200_000).toUTCString())
    if (from >= to || (key === 'broken' && first > 0)) {
      response.writeHead(500, { 'retry-after': '3600' })
      return response.end('{"error":{"code":"INTERNAL_ERROR","message":"It failed."}}')
    }
    const page = chosen.slice(first, first + size)
    const nextCursor = first + size < chosen.length ? String(first + size) : null
    const answer = isEvents
      ? { events: page.map(eventOf), nextCursor }
      : { deliveries: page.map((row) => ({ ...row, status: 'accepted', updatedAt: row.createdAt })), nextCursor }
    return response.end(JSON.stringify(answer))
  })
  for (const name of Object.keys(ticks)) {
    const words = ['profiles', 'add', name, '-e', 'sandbox', '--base-url', `${origin}/delivery/v1`, '--no-keychain']
    expect((await cli.run([...words, '--api-key-stdin'], { stdin: `key-${name}` })).stderr).toMatch(/^(?!.*error)/s)
  }
  asked.splice(0)
  return asked
}

function eventOf({ deliveryId, createdAt }: Row) {
  const event = { eventId: deliveryId.replace('del', 'evt'), eventType: 'delivery.accepted', occurredAt: createdAt }
  const data = { ...event, livemode: false, delivery: { deliveryId, status: 'accepted', createdAt } }
  return { ...event, livemode: false, deliveryId, deliveryAttempts: 1, lastDeliveryStatus: 'delivered', data }
}

/** Prints a list page by page, as it says how to go on; the ids of each page. */
async function pagesOf(cli: Cli, words: readonly string[]): Promise<string[][]> {
  const pages: string[][] = []
  let next: readonly string[] | undefined = words
  while (next !== undefined && pages.length < 20) {
    const { stdout, stderr, exitCode } = await cli.run([...next])
    expect([exitCode, stderr]).toEqual([0, expect.any(String)])
    pages.push(stdout.trim().split('\n').filter(Boolean))
    next = /^Next page: dlv (.*)$/m.exec(stderr)?.[1]?.replaceAll("'", '').split(' ')
  }
  return pages
}

const ticks = { a: [1, 4, 4, 7, 9, 9, 9, 20, 21, 22], b: [2, 4, 9, 9, 10, 23], c: [4, 9, 30], idle: [] }
const all = Object.entries(ticks).flatMap(([key, own]) => own.map((tick, index) => ({ id: `${key}${index}`, tick })))
/** Equal moments are in the order of the accounts, and in each as its service has them. */
const ordered = (sign: number) => all.toSorted((one, other) => sign * (one.tick - other.tick)).map(({ id }) => id)

it('The lists of several accounts are one by time, and its pages hold each row once', async () => {
  const cli = createCli()
  const asked = await startMerchants(cli, ticks)
  for (const [words, prefix, expected] of [
    [['deliveries', 'list'], 'del_', ordered(-1)],
    [['events', 'list', '--since', at(0)], 'evt_', ordered(1)],
  ] as const)
    for (const limit of [1, 3, 7, 19, 50]) {
      const pages = await pagesOf(cli, [...words, '-P', 'a,b,c,idle', '-q', '--limit', String(limit)])
      const ids = pages.flat().map((id) => id.replace(prefix, ''))
      expect([words, limit, ids.toSorted()]).toEqual([words, limit, expected.toSorted()])
      const times = ids.map((id) => all.find((one) => one.id === id)?.tick ?? 0)
      expect(times).toEqual(times.toSorted((one, other) => (prefix === 'del_' ? other - one : one - other)))
      expect(pages.slice(0, -1).map(({ length }) => length)).toEqual(pages.slice(0, -1).map(() => limit))
      expect(pages.length).toBe(Math.ceil(all.length / limit))
    }

  // The end of the period is each service's own, also on later pages.
  const clocks = { a: [2_000, 3_000, 3_100], behind: [-4_500, -4_400, -4_300, -4_200] }
  const other = createCli()
  await startMerchants(other, clocks)
  for (const limit of [2, 3, 5]) {
    const words = ['deliveries', 'list', '--from=40m', '-P', 'a,behind', '-q', '--limit', String(limit)]
    const ids = (await pagesOf(other, words)).flat().map((id) => id.replace('del_', ''))
    expect([limit, ids]).toEqual([limit, ['a2', 'a1', 'a0', 'behind3', 'behind2', 'behind1', 'behind0']])
  }

  // Of each account no more is read than the merged page takes.
  asked.splice(0)
  await cli.run(['deliveries', 'list', '-P', 'a,b,c', '-q', '--limit', '2'])
  expect(
    asked
      .filter(({ path }) => path.includes('/deliveries'))
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(['a', 'b', 'c'])
})

it('Every format has the account of each row, an account that fails later leaves the others whole', async () => {
  const cli = createCli()
  await startMerchants(cli, { ...ticks, broken: [3, 5, 8, 11, 12, 13, 40] })
  const list = ['deliveries', 'list', '--all', '-P', 'a,broken,b,c', '--timeout', '3s']
  const ended = await cli.run([...list, '-o', 'ndjson'])
  const counts: Record<string, number> = {}
  for (const { profile } of jsonLines(ended.stdout)) counts[String(profile)] = (counts[String(profile)] ?? 0) + 1
  expect([ended.exitCode, counts]).toEqual([8, { a: 10, b: 6, c: 3, broken: 4 }])
  expect(ended.stderr).toContain('"profile":"broken"')
  const whole = list.map((word) => (word === 'a,broken,b,c' ? 'a,b,c' : word))
  const json = await cli.json<{ profile: string }[]>([...whole, '-o', 'json'])
  expect(json.map(({ profile }) => profile).join('')).toBe(
    ordered(-1)
      .map((id) => id[0])
      .join(''),
  )
  const csv = await cli.run([...whole, '-o', 'csv'])
  expect(csv.stdout.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^profile,deliveryId,/),
    expect.stringMatching(/^c,del_c2,/),
  ])
  expect((await cli.run([...whole, '--jq', '[.[] | .profile] | unique | join(" ")'])).stdout).toBe('a b c\n')
  const terminal = await cli.run(['deliveries', 'list', '-P', 'a,b,c', '--limit', '2', '--no-pager'], { columns: 120 })
  expect(terminal.stdout + terminal.stderr).toMatch(/c +del_c2[\s\S]*b +del_b5[\s\S]*2 deliveries: 2/)
})

it('A cursor of one account is refused by name, and of a list that is ordered here', async () => {
  const cli = createCli()
  await startMerchants(cli, ticks)
  const list = ['deliveries', 'list', '-P', 'a,b', '-q']
  expect(await cli.run([...list, '--cursor', '4'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/--cursor 4 is not of a list over several accounts/),
  })
  const { stderr } = await cli.run([...list, '--limit', '2'])
  const cursor = /--cursor (\S+)/.exec(stderr)?.[1] ?? ''
  for (const more of [['--sort', 'reference'], ['--active']])
    expect(await cli.run([...list, ...more, `--cursor=${cursor}`])).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(/--all or a larger --limit/),
    })
})

it('Accounts without an archive are asked for what can be a problem, and the answer is that of their archives', async () => {
  const cli = createCli()
  const env = sandbox.env('dlvk_sbx_marketplace')
  for (const name of ['cold-a', 'cold-b']) {
    expect(await cli.run(['sandbox', 'accounts', 'add', name, '--profile', name], { env })).toMatchObject({
      exitCode: 0,
    })
    const seeded = await cli.run(['sandbox', 'seed', '--count', '80', '--over', '10h', '--seed', '3', '-P', name])
    expect(seeded).toMatchObject({ exitCode: 0 })
  }
  // Nothing is under way any more, so that each answer is the same.
  await cli.run(['sandbox', 'clock', 'advance', '14h'], { env })
  const archives = () =>
    readdirSync(join(cli.home, '.local', 'share', 'dlv')).filter((name) => name.startsWith('archive-'))
  const list = (...words: string[]) =>
    cli.json<unknown[]>(['deliveries', 'list', '--problem', '--all', '--from', '30h', '-P', 'cold-*', ...words])
  const [asked, withReason] = [await list(), await list('--with', 'reason,store')]
  expect([asked.length > 0, archives()]).toEqual([true, []])
  await cli.run(['sync', '-P', 'cold-*', '--from', '30h'])
  expect(archives()).not.toEqual([])
  expect([await list(), await list('--with', 'reason,store')]).toEqual([asked, withReason])
  // What differs between accounts is said with its account.
  await cli.run(['sync', '-P', 'cold-b', '--from', '48h'])
  const none = await cli.run(['deliveries', 'list', '--search', 'nobody has this', '-P', 'cold-*'])
  expect(none.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^cold-a: The archive begins at /),
    expect.stringMatching(/^cold-b: The archive begins at /),
  ])
})
