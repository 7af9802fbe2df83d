import type { Transport, TransportReply, TransportRequest } from '../../client/index.js'
import { isRecord, tryParseJson } from '../../shared/json.js'

/** What an answer of the service shows of the key that it was asked with. */
export type ProductionSign = 'SANDBOX_ONLY' | 'livemode'

/** A transport that reports the first answer by which its key is a production key. */
export function watchForProduction(transport: Transport, found: (sign: ProductionSign) => Promise<void>): Transport {
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

/** What an answer shows: a simulation that only a sandbox allows, or an object with `livemode: true`. */
export function productionSign(
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

const member = '"livemode"'

/** Searches the bytes, because answers can be long; inside a text, the quote would be escaped. */
function hasLivemode(body: Uint8Array): boolean {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  for (let at = bytes.indexOf(member); at !== -1; at = bytes.indexOf(member, at + 1)) {
    const after = bytes.toString('latin1', at + member.length, at + member.length + 40)
    if (bytes[at - 1] !== 0x5c && /^\s*:\s*true\b/.test(after)) return true
  }
  return false
}
