import { describe, expect, it } from 'vitest'
import { newSecret, sampleEvent, sendEvent } from '../../src/webhooks/index.js'
import { type Cli, createCli } from '../support/cli/program.js'
import { until } from '../support/until.js'

const secret = newSecret()
const alone = {
  DLV_BASE_URL: 'https://api.example.com/v1',
  DLV_ENVIRONMENT: 'sandbox',
  DLV_API_KEY: 'key_1',
  DLV_WEBHOOK_SECRET: secret,
}

type Line = Record<string, unknown>

async function listen(cli: Cli, words: string[], env: NodeJS.ProcessEnv = alone) {
  const listener = cli.start(['webhooks', 'listen', '-o', 'ndjson', ...words], { env })
  const { url } = JSON.parse(await listener.line((line) => JSON.parse(line).type === 'ready'))
  const next = async (wanted: string): Promise<Line> =>
    JSON.parse(await listener.line((line) => JSON.parse(line).type === wanted))
  const bodies = new Map<string, string>()
  const send = async (eventId: string, timeoutMs = 20_000) => {
    const body = bodies.get(eventId) ?? JSON.stringify(sampleEvent('delivery.delivered', { eventId }))
    bodies.set(eventId, body)
    const sent = await sendEvent({ url, secrets: [secret], body, timeoutMs })
    return sent.answered ? sent.status : sent.failure
  }
  return { ...listener, url, next, send }
}

const journal = (cli: Cli) =>
  cli.json<{ eventId: string; repeats: number }[]>(['webhooks', 'log', '--all'], { env: alone })

describe('webhooks listen --answer', () => {
  it('answers with the status, keeps nothing and says so, so that the retry is the first', async () => {
    const cli = createCli()
    const ill = await listen(cli, ['--answer', '503'])
    expect(await ill.send('evt_1')).toBe(503)
    expect(await ill.next('answered')).toEqual({
      type: 'answered',
      eventId: 'evt_1',
      eventType: 'delivery.delivered',
      deliveryId: expect.any(String),
      status: 503,
      delayMs: 0,
      kept: false,
    })
    await ill.kill()
    expect(await journal(cli)).toEqual([])
    const well = await listen(cli, [])
    expect(await well.send('evt_1')).toBe(200)
    expect(await well.next('event')).toMatchObject({ eventId: 'evt_1', duplicate: false })
  })

  it('prints what it did on a line for people', async () => {
    const cli = createCli()
    const listener = cli.start(['webhooks', 'listen', '--answer', '500'], { env: alone, columns: 200 })
    await listener.hasPrinted('post webhooks to')
    const [, url = ''] = /post webhooks to (\S+)/.exec(listener.lines().join('\n')) ?? []
    const body = JSON.stringify(sampleEvent('delivery.delivered', { eventId: 'evt_1' }))
    await sendEvent({ url: url.replace(/\u001b\[\d+m/g, ''), secrets: [secret], body })
    await listener.hasPrinted('500 on purpose, not stored')
  })

  it('resets connections', async () => {
    const listener = await listen(createCli(), ['--answer', 'reset'])
    expect(await listener.send('evt_1')).toBe('reset')
    expect(await listener.next('answered')).toMatchObject({ status: null, kept: false })
  })

  it('holds answers back; the event was stored in time, so that its retry is a duplicate', async () => {
    const cli = createCli()
    const slow = await listen(cli, ['--answer-delay', '1h'])
    expect(await slow.send('evt_1', 300)).toBe('timeout')
    expect(await slow.next('answered')).toMatchObject({ status: 200, delayMs: 3_600_000, kept: true })
    const open = slow.send('evt_1')
    await slow.next('answered')
    await slow.kill()
    // The listener does not wait for the rest of the hour.
    expect(await open).toBe(200)
    expect(await journal(cli)).toMatchObject([{ eventId: 'evt_1', repeats: 1 }])
  })

  it('chooses the share that was asked for, and the same webhooks with the same seed', async () => {
    const outcomes = async (seed: string) => {
      const flags = ['--answer', '500@30%', '--answer', 'reset@10%', '--answer-seed', seed]
      const listener = await listen(createCli(), flags)
      const found: (number | string)[] = []
      for (let count = 0; count < 60; count++) found.push(await listener.send(`evt_${count}`))
      await listener.kill()
      return found
    }
    const first = await outcomes('7')
    expect(await outcomes('7')).toEqual(first)
    expect(await outcomes('8')).not.toEqual(first)
    const countOf = (outcome: number | string) => first.filter((found) => found === outcome).length
    expect([countOf(200) + countOf(500) + countOf('reset'), new Set(first).size]).toEqual([60, 3])
    expect(countOf(500)).toBeGreaterThan(countOf('reset'))
  })

  it('makes the service try again', async () => {
    const cli = createCli()
    // A seed that refuses the first webhook and takes the second.
    const listener = await listen(cli, ['--answer', '500@50%', '--answer-seed', '7'], {})
    await cli.json(['deliveries', 'create', '--file', 'examples/order.json', '--ref', 'ILL-1'])
    const { eventId } = await listener.next('answered')
    await cli.run(['sandbox', 'clock', '--advance', '1m'])
    expect(await listener.next('event')).toMatchObject({ eventId, duplicate: false })
    await until('two attempts', async () => {
      const attempts = await cli.json<{ statusCode: number }[]>(['sandbox', 'attempts', String(eventId)])
      return attempts.map(({ statusCode }) => statusCode).join() === '500,200'
    })
  })

  it.each([
    [['--answer', '999@30%'], '"999@30%"'],
    [['--answer', '200'], '"200"'],
    [['--answer', 'maybe'], '"maybe"'],
    [['--answer', '500@130%'], '"500@130%"'],
    [['--answer', '500@0%'], '"500@0%"'],
    [['--answer', '500@30'], '"500@30"'],
    [['--answer', '500@70%', '--answer', 'reset@40%'], 'more than 100%'],
    [['--answer-delay', 'soon'], '"soon"'],
    [['--answer-seed', '1'], '--answer-seed needs --answer'],
  ])('refuses %s', async (flags, text) => {
    const { exitCode, stderr } = await createCli().run(['webhooks', 'listen', ...flags], { env: alone })
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(text)])
  })
})
