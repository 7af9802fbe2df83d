import { Agent, request } from 'node:http'
import { eventTypes, operationRows, statusReasonCodes } from '../../../src/contract/index.js'
import { seededRandom } from '../../../src/shared/math.js'
import { checkReply, type Reply } from './caller.js'
import { testOrder } from './orders.js'

/** Repeatable dice. */
export function dice(seed: number): (sides: number) => number {
  const random = seededRandom(seed)
  return (sides) => Math.floor(random() * sides)
}

const oddities: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  '😀'.repeat(300),
  'a\u0000b',
  '\ud800',
  '__proto__',
  '<script>',
  [],
  [[]],
  {},
  { a: { b: { c: 1 } } },
  ['alcohol', 'controlled_cargo'],
  '2026-13-45T99:99:99Z',
  '2027-03-14T02:30:00-05:00',
  'ZZFLAP',
  'ZZNOPHOTOSIG',
  'STORE-NOPROVIDER',
  '+12025550133',
  '99957',
  'APO, AE 09012',
  'required',
  'return_to_pickup',
  'fallback_handoff',
  'scheduled',
  'delivered',
  ...statusReasonCodes.slice(0, 3),
  ...eventTypes.slice(0, 2),
]

const fields = [
  'clientOrderReference',
  'quoteId',
  'pickup',
  'pickup.storeReference',
  'dropoff',
  'dropoff.address',
  'dropoff.address.postalCode',
  'dropoff.address.state',
  'dropoff.contactPhone',
  'dropoff.instructions',
  'dropoff.installation',
  'dropoff.installation.code',
  'dropoff.installation.gate',
  'dropoff.unit.deliveryPoint',
  'timeWindows',
  'timeWindows.deliveryMode',
  'timeWindows.dropoff.start',
  'timeWindows.dropoff.end',
  'timeWindows.pickup',
  'package.contains',
  'package.weightGrams',
  'package.items',
  'dispatch.mode',
  'verification.dropoff.photo',
  'verification.dropoff.photo.level',
  'verification.dropoff.identity.minimumAge',
  'verification.dropoff.barcode.values',
  'handling.undeliverableAction',
  'handling.fallbackHandoff',
  'tipAmountCents',
  'metadata',
  'metadata.sandbox_outcome',
  'metadata.sandbox_pace',
  'metadata.sandbox_create',
  'metadata.sandbox_hooks',
  'advanceTo',
  'statusReasonCode',
  'emitIntermediateEvents',
  'reason',
  'deliverAt',
]

type Json = Record<string, unknown>

function place(target: Json, path: string, value: unknown): void {
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  let at = target
  for (const step of steps) {
    const next = at[step]
    if (typeof next !== 'object' || next === null || Array.isArray(next)) at[step] = {}
    at = at[step] as Json
  }
  at[last] = value
}

interface FuzzedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: string | undefined
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']
const apiKeys = ['dlvk_sbx_marketplace', 'dlvk_sbx_ownedfleet', 'dlvk_sbx_noreturns', 'dlvk_live_demo', 'nobody', '']
const queryWords = [
  'limit=3',
  'limit=-1',
  'cursor=zzz',
  'from=2026-01-01T00:00:00Z',
  'delivered=false',
  'state=ZZ',
  'eventType=x',
  'a[]=%FF',
  '&&&',
  'status=delivered',
]

/** One request that is nearly right, or not at all. */
function fuzzedRequest(roll: (sides: number) => number, knownIds: readonly string[]): FuzzedRequest {
  const pick = <T>(list: readonly T[]): T => list[roll(list.length)] as T
  const rows = Object.values(operationRows)
  const row = pick(rows)
  const id =
    roll(3) === 0
      ? encodeURIComponent(Buffer.from(String(pick(oddities))).toString()).slice(0, 60) || 'x'
      : (knownIds[roll(knownIds.length || 1)] ?? 'del_1')
  let path = row.path.replaceAll(/\{\w+\}/g, id)
  if (roll(20) === 0) path += pick(['/', '/x', '//', '%00', '%zz', '/../..'])
  const query = Array.from({ length: roll(3) }, () => pick(queryWords)).join('&')
  const order = roll(4) === 0 ? {} : testOrder()
  for (let changes = roll(4); changes > 0; changes--) place(order, pick(fields), structuredClone(pick(oddities)))
  let body: string | undefined = row.body === undefined && roll(8) > 0 ? undefined : JSON.stringify(order)
  if (body !== undefined && roll(25) === 0) body = body.slice(0, roll(body.length))
  const headers: Record<string, string> = {
    Authorization: `Bearer ${roll(8) === 0 ? pick(apiKeys) : apiKeys[roll(2)]}`,
  }
  if (roll(10) > 0) headers['Content-Type'] = roll(15) === 0 ? 'text/plain' : 'application/json'
  if (roll(6) > 0) headers['Idempotency-Key'] = `fuzz-${roll(1_000_000)}`
  if (body !== undefined) headers['Content-Length'] = String(Buffer.byteLength(body))
  const method = roll(15) === 0 ? pick(methods) : row.method
  return { method, path: query === '' ? path : `${path}?${query}`, headers, body }
}

/** Sends what is given over kept connections. */
class FuzzClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 })

  constructor(private readonly baseUrl: string) {}

  send({ method, path, headers, body }: FuzzedRequest): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${this.baseUrl}/`,
        { method, headers, agent: this.agent, path: `/delivery/v1${path}` },
        (answer) => {
          const chunks: Buffer[] = []
          answer.on('data', (chunk: Buffer) => chunks.push(chunk))
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString()
            const parsed = text === '' ? {} : JSON.parse(text)
            const flat = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
            resolve({
              status: answer.statusCode ?? 0,
              headers: new Headers(flat),
              text,
              body: parsed,
              code: parsed.error?.code,
            })
          })
          answer.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.agent.destroy()
  }
}

/** Plays so many requests, 16 at a time; throws at the first answer that is a 500 or leaves the contract. */
export async function fuzz(baseUrl: string, count: number, seed: number): Promise<Map<number, number>> {
  const roll = dice(seed)
  const client = new FuzzClient(baseUrl)
  const knownIds: string[] = []
  const statuses = new Map<number, number>()
  let left = count
  const worker = async () => {
    while (left-- > 0) {
      const asked = fuzzedRequest(roll, knownIds)
      const reply = await client.send(asked)
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
      if (reply.status === 500) throw new Error(`${asked.method} ${asked.path} ${asked.body} answered ${reply.text}`)
      // Orders may ask for statuses that no contract knows yet, and a HEAD has no body to look at.
      if (asked.method !== 'HEAD' && !reply.text.includes('driver_paused')) checkReply(asked.method, asked.path, reply)
      if (reply.status === 201) knownIds[roll(50)] = String(reply.body.deliveryId)
    }
  }
  await Promise.all(Array.from({ length: 16 }, worker))
  client.close()
  return statuses
}
