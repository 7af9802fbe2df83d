import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Ground } from '../ground.ts'
import { inTurn, median, pairedRatio } from '../measure.ts'
import { type Outcome, round } from '../result.ts'

const accounts = 40
const deliveriesOfEach = 20
const eventsOfEach = 10

type Webhooks = typeof import('../../src/webhooks/index.ts')
type Request = Pick<Parameters<Webhooks['verify']>[0], 'headers' | 'body'>

/** A verification with the secrets of many accounts at one address, whose events come in turn, and with one secret. */
export async function measureSecrets(ground: Ground): Promise<Outcome> {
  const built = pathToFileURL(join(ground.project, 'dist', 'webhooks.js')).href
  const { verify, parseSecret, signatureHeaders }: Webhooks = await import(built)
  const keys = Array.from({ length: accounts }, () => crypto.getRandomValues(new Uint8Array(24)))
  const secrets = keys.map((key) => parseSecret(Buffer.from(key).toString('base64')))
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const requestOf = (account: number, delivery: number, event: number): Request => {
    const id = `evt_${account}_${delivery}_${event}`
    const deliveryId = `del_${account}_${delivery}`
    const pickup = { storeReference: `STORE-${account}`, businessName: `Market ${account}` }
    const text = { eventId: id, delivery: { deliveryId, status: 'driver_assigned', pickup, more: 'x'.repeat(1_000) } }
    const body = Buffer.from(JSON.stringify(text))
    const key = secrets[account] ?? ''
    return { headers: signatureHeaders({ secrets: key, id, timestampSeconds, body }), body }
  }
  const inTurns: Request[] = []
  for (let event = 0; event < eventsOfEach; event++)
    for (let delivery = 0; delivery < deliveriesOfEach; delivery++)
      for (let account = 0; account < accounts; account++) inTurns.push(requestOf(account, delivery, event))
  const ofOne = Array.from({ length: inTurns.length }, (_, at) => requestOf(0, at % 200, at))
  const perSecond = (requests: readonly Request[], given: typeof secrets) => async () => {
    // A listener that has just started knows nothing yet.
    const list = [...given]
    const startedMs = performance.now()
    for (const request of requests) if (!verify({ secrets: list, ...request }).ok) throw new Error('not verified')
    return requests.length / ((performance.now() - startedMs) / 1_000)
  }
  const [many = [], one = []] = await inTurn(ground.quick ? 3 : 15, [
    perSecond(inTurns, secrets),
    perSecond(ofOne, secrets.slice(0, 1)),
  ])
  const compared = pairedRatio(one, many)
  const us = (rates: number[]) => round(1e6 / median(rates), 1)
  return {
    results: [
      {
        id: 'secrets-forty',
        aim: `verifying with the secrets of ${accounts} accounts, whose events come in turn, vs. with one secret`,
        bar: '≤ 2 ×',
        measured: `${round(compared.ratio)} × (${us(many)} µs vs. ${us(one)} µs)`,
        values: { ...compared },
        faster: 'smaller',
        met: compared.ratio <= 2,
      },
    ],
  }
}
