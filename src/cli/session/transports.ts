import type { Transport, TransportReply, TransportRequest } from '../../client/index.js'
import type { Settings } from '../../profiles/index.js'
import { percentDecoded } from '../../shared/byte-codes.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { sleep } from '../../shared/sleep.js'
import type { Account } from './account.js'
import type { SessionTools } from './tools.js'

/** For how long an order that was sent may not be found yet. */
const justCreatedMs = 120_000

/**
 * The transport to a service over the network: it looks again for a delivery that is new, continues with a key that was
 * replaced, and notices a production key.
 *
 * @param shown ids of deliveries that a lookup has shown
 * @param connections the most, for one that many requests share; one request after the other without it
 */
export async function toNetwork(
  settings: Settings,
  { context, config, notices, account }: Pick<SessionTools, 'context' | 'config' | 'notices'> & { account: Account },
  shown: ReadonlySet<string>,
  connections: number | undefined,
): Promise<Transport> {
  const [{ networkTransport }, { commandTransport }] = await Promise.all([
    import('../../client/index.js'),
    import('../../client/internal.js'),
  ])
  const open = connections === undefined ? commandTransport : networkTransport
  const transport = findingNewDeliveries(
    renewingKey(open({ environment: context.env, connections, baseUrl: settings.baseUrl }), async (refused) => {
      const { renewedKey } = await import('./renewed-key.js')
      return renewedKey(account, settings, refused, notices)
    }),
    async (id) => shown.has(id) || ((await account.ledgerIfAny())?.hasNew(id, justCreatedMs) ?? false),
  )
  const { environment, apiKey } = settings
  if (environment === 'production' || apiKey === undefined) return transport
  return watchingForProduction(transport, async (sign) => {
    const { rememberProductionKey } = await import('../../profiles/internal.js')
    rememberProductionKey(config.configDir, apiKey, sign)
    account.choice.recheck()
    const answer = sign === 'livemode' ? 'livemode: true' : sign
    notices.warn(`The service answered ${answer}: this key is a production key and is treated as one from now on.`)
  })
}

/** A transport that reports each write before it is sent. */
export function notingWrites(transport: Transport, onWrite: () => void): Transport {
  return {
    ...transport,
    send(request) {
      if (request.method !== 'GET') onWrite()
      return transport.send(request)
    },
  }
}

/** The pauses before a delivery is looked for again: less than two seconds in all. */
const lookupDelaysMs = [200, 400, 1_000]

/** The delivery that a request is about, by its address. */
const ofDelivery = /\/deliveries\/([^/?]+)/

/**
 * A transport that repeats a request that was answered with 404 a few times, if it is about a delivery that is known to
 * exist: a replica of the service's data may be a moment behind.
 */
function findingNewDeliveries(transport: Transport, isKnown: (deliveryId: string) => Promise<boolean>): Transport {
  return {
    ...transport,
    async send(request) {
      let reply = await transport.send(request)
      if (reply.status !== 404) return reply
      const deliveryId = percentDecoded(ofDelivery.exec(request.url)?.[1] ?? '')
      if (!deliveryId || !(await isKnown(deliveryId))) return reply
      for (const delayMs of lookupDelaysMs) {
        await sleep(delayMs, request.signal)
        if (request.signal.aborted) return reply
        reply = await transport.send(request)
        if (reply.status !== 404) return reply
      }
      return reply
    },
  }
}

/**
 * A transport that sends a request again, with the key that its account has now, if the service refuses the one that it was
 * opened with: a key may be replaced while a command runs. What is refused with 401 was not executed.
 *
 * @param renewed the key that is to be used now instead of the refused one, if there is one
 */
function renewingKey(transport: Transport, renewed: (refused: string) => Promise<string | undefined>): Transport {
  let key: string | undefined
  const withKey = (request: TransportRequest): TransportRequest =>
    key === undefined || request.headers.authorization === undefined
      ? request
      : { ...request, headers: { ...request.headers, authorization: `Bearer ${key}` } }
  return {
    ...transport,
    async send(request) {
      const sent = withKey(request)
      const reply = await transport.send(sent)
      const refused = sent.headers.authorization
      if (reply.status !== 401 || refused === undefined) return reply
      key = (await renewed(refused.replace('Bearer ', ''))) ?? key
      const again = withKey(request)
      return again.headers.authorization === refused ? reply : transport.send(again)
    },
  }
}

/** The part of an answer that shows a production key. */
type ProductionSign = 'SANDBOX_ONLY' | 'livemode'

/** A transport that reports the first answer that shows its key to be a production key. */
function watchingForProduction(transport: Transport, found: (sign: ProductionSign) => Promise<void>): Transport {
  let isFound = false
  return {
    ...transport,
    async send(request) {
      const reply = await transport.send(request)
      const sign = isFound ? undefined : productionSign(request, reply)
      if (sign !== undefined) {
        isFound = true
        await found(sign)
      }
      return reply
    },
  }
}

/** A refused simulation, which only a sandbox allows, or an object with `livemode: true`. */
function productionSign(
  { method, url }: Pick<TransportRequest, 'method' | 'url'>,
  { status, body }: Pick<TransportReply, 'status' | 'body'>,
): ProductionSign | undefined {
  if (status < 300) return hasLivemode(body) ? 'livemode' : undefined
  if (status !== 403 || method !== 'POST' || !new URL(url).pathname.endsWith('/simulate')) return undefined
  const answer = tryParseJson(body)?.value
  const error = isRecord(answer) ? answer.error : undefined
  if (!isRecord(error) || error.code !== 'SANDBOX_ONLY') return undefined
  // A sandbox of dlv also refuses foreign host names with this code, and says which.
  return isRecord(error.details) && 'host' in error.details ? undefined : 'SANDBOX_ONLY'
}

const member = Buffer.from('"livemode"')

/** Searches the bytes, because answers can be long; inside a text, the quote would be escaped. */
function hasLivemode(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  for (let at = bytes.indexOf(member); at !== -1; at = bytes.indexOf(member, at + 1)) {
    const after = bytes.toString('latin1', at + member.length, at + member.length + 40)
    if (bytes[at - 1] !== 0x5c && /^\s*:\s*true\b/.test(after)) return true
  }
  return false
}
