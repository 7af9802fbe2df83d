import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { milestones } from '../../src/contract/status-words.js'
import { type Cli, createCli } from '../support/cli/program.js'

/** What a person does in three terminals, with the program alone and against a server. */

const passed = milestones.slice(1)

interface DeliveryShown {
  deliveryId: string
  status: string
  statusHistory: { status: string }[]
}

async function startSandbox(cli: Cli, ...words: string[]) {
  const sandbox = cli.startProcess(['sandbox', 'start', '--port', '0', '-o', 'json', ...words])
  const ready = JSON.parse(await sandbox.line((line) => line.includes('"ready"'))) as {
    baseUrl: string
    apiKey: string
    controlUrl: string
  }
  return { sandbox, ready, env: { DLV_BASE_URL: ready.baseUrl, DLV_API_KEY: ready.apiKey } }
}

describe('with nothing configured and no server', () => {
  it('a delivery is created, driven and shown by three processes, and a listener sees every webhook, verified, in order', async () => {
    const cli = createCli()
    const listener = cli.startProcess(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'])
    await listener.line((line) => JSON.parse(line).type === 'ready')

    const { deliveryId } = await cli.json<DeliveryShown>(['deliveries', 'create', '--file', 'examples/order.json'])
    await cli.json(['simulate', deliveryId, '--to', 'delivered'])
    const shown = await cli.json<DeliveryShown>(['deliveries', 'get', deliveryId])
    expect(shown.statusHistory.map(({ status }) => status)).toEqual(passed)

    await listener.line((line) => JSON.parse(line).eventType === 'delivery.delivered')
    const ended = await listener.kill('SIGINT')
    expect(ended.exitCode).toBe(130)
    const events = listener
      .lines()
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ type, eventType }) => type === 'event' && eventType !== 'delivery.proof_of_delivery_added')
    expect(events.map(({ eventType }) => eventType)).toEqual(passed.map((status) => `delivery.${status}`))
    expect(events.every(({ verified, deliveryId: id }) => verified === true && id === deliveryId)).toBe(true)
  })

  it('a listener says that it is ready only once the sandbox posts to it', async () => {
    const cli = createCli()
    const receivers = () => {
      const state = new DatabaseSync(join(cli.home, '.local', 'share', 'dlv', 'sandbox.db'), { readOnly: true })
      return state.prepare('SELECT url FROM endpoints').all()
    }
    let registered: unknown[] = []
    const listener = cli.start(['webhooks', 'listen', '--port', '0', '-o', 'ndjson'])
    const ready = await listener.line(() => {
      registered = receivers()
      return true
    })
    expect(registered).toEqual([{ url: JSON.parse(ready).url }])
    await listener.kill('SIGINT')
    expect(receivers()).toEqual([])
  })
})

describe('against a server', () => {
  it('the same commands, and plain curl, are answered alike', async () => {
    const cli = createCli()
    const { ready, env } = await startSandbox(cli)
    const { deliveryId } = await cli.json<DeliveryShown>(['deliveries', 'create', '--file', 'examples/order.json'], {
      env,
    })
    await cli.json(['simulate', deliveryId, '--to', 'delivered'], { env })
    // What this machine sent is the only thing that the service does not say.
    const { sent, ...shown } = await cli.json<DeliveryShown & { sent: object }>(['deliveries', 'get', deliveryId], {
      env,
    })
    expect(sent).toMatchObject({ package: expect.anything() })
    expect(shown.statusHistory.map(({ status }) => status)).toEqual(passed)
    const curl = execFileSync('curl', [
      ...['--silent', '--fail', '--header', `Authorization: Bearer ${ready.apiKey}`],
      `${ready.baseUrl}/deliveries/${deliveryId}`,
    ])
    expect(JSON.parse(curl.toString())).toEqual(shown)
  })
})
