import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type JsonServer, startJsonServer } from '../../support/cli/json-server.js'
import { createCli } from '../../support/cli/program.js'

const cli = createCli(afterAll)
let server: JsonServer
/** Called with what sends the last page, where it is not sent at once. */
let holdLastPage: ((send: () => void) => void) | undefined

const page = (first: number, nextCursor: string | null) =>
  JSON.stringify({
    deliveries: Array.from({ length: 150 }, (_, index) => ({ deliveryId: `del_${first + index}`, status: 'accepted' })),
    nextCursor,
  })

beforeAll(async () => {
  server = await startJsonServer((path, response) => {
    if (!path.includes('cursor=')) return page(1, 'last')
    const send = () => response.end(page(151, null))
    if (holdLastPage === undefined) send()
    else holdLastPage(send)
    return undefined
  })
})
afterAll(() => server.close())

const list = (expression: string, ...flags: string[]) => [
  'deliveries',
  'list',
  '--from',
  '1d',
  '--all',
  '--jq',
  expression,
  ...flags,
]
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe('--jq on a list of many pages', () => {
  it('is about the whole list', async () => {
    const { stdout } = await cli.run(list('length, .[0].deliveryId, .[-1].deliveryId'), { env: server.env })
    expect(stdout).toBe('300\ndel_1\ndel_300\n')
  })

  it('is with -o ndjson about one object after the other, printed as the pages come', async () => {
    const isHeld = new Promise<() => void>((resolve) => {
      holdLastPage = resolve
    })
    const running = cli.start(list('.deliveryId', '-o', 'ndjson'), { env: server.env })
    const send = await isHeld
    await running.line((line) => line === 'del_100')
    holdLastPage = undefined
    send()
    const { exitCode } = await running.ended
    expect(exitCode).toBe(0)
    expect(running.lines()).toEqual(numbers(1, 300).map((number) => `del_${number}`))
  })

  it('reads on across pages, as one jq does', async () => {
    const { stdout } = await cli.run(list('reduce inputs as $_ (1; . + 1)', '-o', 'ndjson'), { env: server.env })
    expect(stdout).toBe('300\n')
  })

  it('stops at the first object that it fails for, whatever was read along', async () => {
    const before = server.asked.length
    const expression = 'if .deliveryId == "del_7" then error("seven") else .deliveryId end'
    const { stdout, stderr, exitCode } = await cli.run(list(expression, '-o', 'ndjson'), { env: server.env })
    expect(exitCode).toBe(2)
    expect(stdout.trim().split('\n')).toEqual(numbers(1, 6).map((number) => `del_${number}`))
    expect(stderr).toContain('failed: seven.')
    expect(server.asked.slice(before).filter((path) => path.includes('cursor='))).toEqual([])
  })

  it('reads nothing more once it has halted', async () => {
    const { stdout, exitCode } = await cli.run(list('.deliveryId, halt', '-o', 'ndjson'), { env: server.env })
    expect({ stdout, exitCode }).toEqual({ stdout: 'del_1\n', exitCode: 0 })
  })
})

describe('--jq on what happens', () => {
  const env = { DLV_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }
  const listen = (expression: string) => ['webhooks', 'listen', '--port', '0', '--jq', expression]

  it('selects from each record of a listener', async () => {
    const running = cli.start(listen('debug("seen") | "first: \\(.type)"'), { env: { ...server.env, ...env } })
    await running.line((line) => line === 'first: ready')
    await running.hasPrinted('["DEBUG:","seen"]')
    expect(await running.kill('SIGINT')).toMatchObject({ exitCode: 130 })
  })

  it('ends a listener whose records it does not fit', async () => {
    const running = cli.start(listen('.type.name'), { env: { ...server.env, ...env } })
    const { exitCode, stderr } = await running.ended
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--jq ".type.name" failed: Cannot index string with string "name".')
  })

  it('counts what happened, once nothing more does', async () => {
    const words = ['sandbox', 'start', '--port', '0', '--data', ':memory:', '--jq', '.type, ([inputs] | length)']
    const running = cli.start(words)
    await running.line((line) => line === 'ready')
    expect(await running.kill('SIGINT')).toMatchObject({ exitCode: 130, stdout: 'ready\n0\n' })
  })
})
