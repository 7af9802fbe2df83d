import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServedSandbox } from '../sandbox/served-sandbox.js'
import type { Cli, Ended } from './program.js'
import type { Step } from './transcript-steps.js'

/** When the sandbox stands still; the program's own clock stands a minute and a half later. */
export const startMs = Date.parse('2026-03-02T15:00:00Z')
const nowMs = startMs + 90_000

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`
const limitMs = 60_000

/** A person at a terminal or in a pipe, with a sandbox of their own. */
export interface Lane {
  kind: 'terminal' | 'pipe'
  cli: Cli
  sandbox: ServedSandbox
  /** An address that takes every webhook. */
  receiverUrl: string
}

/** Runs the steps one after the other. Answers with how each ended, by `nameOf`. */
export async function takeSteps(
  lane: Lane,
  steps: readonly Step[],
  nameOf: (step: Step) => string,
): Promise<Map<string, Ended>> {
  const env = { ...lane.sandbox.env('dlvk_sbx_ownedfleet'), CI: '1' }
  const places = await placesOf(lane, env)
  const taken = new Map<string, Ended>()
  for (const step of steps) {
    const words = step.words.map((word) => (places[word] ?? word).replace(/^HOME\//, `${lane.cli.home}/`))
    taken.set(nameOf(step), await inTime(nameOf(step), take(lane, { ...step, words }, env)))
  }
  return taken
}

async function inTime(name: string, ended: Promise<Ended>): Promise<Ended> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} did not end`)), limitMs)
  })
  try {
    return await Promise.race([ended, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** What the placeholders of the steps stand for. */
async function placesOf(lane: Lane, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const { cli } = lane
  const create = ['deliveries', 'create', '--file', 'examples/order.json', '--ref']
  const { deliveryId } = await cli.json<{ deliveryId: string }>([...create, 'FIRST'], { env })
  const cancelled = await cli.json<{ deliveryId: string }>([...create, 'CANCELLED'], { env })
  const [event] = await cli.json<{ eventId: string }[]>(['events', 'list', '--limit', '1'], { env })
  const [driver] = await cli.json<{ id: string }[]>(['drivers', 'list'], { env })
  const files = {
    'secret.txt': secret,
    'key.txt': 'dlvk_sbx_of_acme',
    'rows.csv': [
      'clientOrderReference,pickup.storeReference,dropoff.address,dropoff.contactName,dropoff.contactPhone',
      'ROW-1,STORE-001,"1 Hay St, Fayetteville, NC 28301",Dana Whitfield,+19105550147',
      'ROW-2,STORE-UNKNOWN,"2 Hay St, Fayetteville, NC 28301",Dana Whitfield,+19105550147',
      '',
    ].join('\n'),
    'body.json': '{"eventId":"evt_1"}',
    'request.txt': [
      'POST / HTTP/1.1',
      'webhook-id: evt_1',
      `webhook-timestamp: ${startMs / 1_000}`,
      'webhook-signature: v1,AAAA',
      '',
      '{"eventId":"evt_1"}',
    ].join('\r\n'),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(cli.home, name), text, { mode: 0o600 })
  return {
    ID: deliveryId,
    CANCELLED: cancelled.deliveryId,
    EVENT: event?.eventId ?? '',
    DRIVER: driver?.id ?? '',
    URL: lane.receiverUrl,
  }
}

async function take({ kind, cli }: Lane, { words, until }: Step, env: NodeJS.ProcessEnv): Promise<Ended> {
  const options = { env, nowMs: () => nowMs, ...(kind === 'terminal' ? { columns: 80 } : {}) }
  if (until === undefined) return cli.run(words, options)
  const running = cli.start(words, options)
  await running.hasPrinted(until)
  return running.kill('SIGINT')
}
