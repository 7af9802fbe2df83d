import { ConnectionError } from '../../contract/index.js'
import { joinBytes } from '../../shared/byte-codes.js'
import type { HeaderReader, TransportReply } from './transport.js'

/**
 * A `Response` read into memory up to the limit. Rejects as soon as the signal aborts, also for a body that never
 * looks at it.
 */
export async function readResponse(
  response: Response,
  { signal, maxBytes }: { signal: AbortSignal; maxBytes: number },
): Promise<TransportReply> {
  if (response.type === 'opaqueredirect') throw redirected()
  const { status, headers } = response
  const reader = response.body?.getReader()
  if (reader === undefined) return { status, headers, body: new Uint8Array() }
  const stop = () => void reader.cancel(signal.reason).catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  const pieces: Uint8Array[] = []
  let received = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (signal.aborted) throw signal.reason
      if (done) return { status, headers, body: joinBytes(pieces) }
      received += value.byteLength
      if (received > maxBytes) {
        stop()
        throw tooLarge(maxBytes)
      }
      pieces.push(value)
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Browsers hide where a redirect leads to. */
function redirected(): ConnectionError {
  return new ConnectionError('Answered with a redirect, which was not followed', {
    reason: 'redirect',
    hint: 'Set the base URL to the service itself; the key is never sent to another place.',
  })
}

/** The answer's body passes the limit, packed or unpacked. */
export function tooLarge(maxBytes: number, cause?: unknown): ConnectionError {
  const limit = maxBytes >= 1_048_576 ? `${Math.round(maxBytes / 1_048_576)} MiB` : `${maxBytes} bytes`
  return new ConnectionError(`The answer is larger than ${limit} and was not read to its end`, {
    reason: 'too-large',
    cause,
  })
}

type RawHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Headers as the HTTP parser gives them: lower-case names, several values of one name as a list. */
export function readHeaders(raw: RawHeaders): HeaderReader {
  return new ReplyHeaders(raw)
}

class ReplyHeaders implements HeaderReader {
  readonly #raw: RawHeaders

  constructor(raw: RawHeaders) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const value = this.#raw[name.toLowerCase()]
    return value === undefined ? null : joined(value)
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [name, value] of Object.entries(this.#raw)) if (value !== undefined) yield [name, joined(value)]
  }
}

function joined(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join(', ')
}
