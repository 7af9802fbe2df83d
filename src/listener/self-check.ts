import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { limits, UsageError } from '../contract/index.js'
import { isLoopback } from '../shared/web-address.js'
import { type ParsedSecret, post, signatureHeaders } from '../webhooks/index.js'

/** A listener's trial of itself: a signed request that goes the whole way to the disk and leaves no event there. */
interface SelfCheck {
  recognise: Recognise
  /**
   * Posts to the listener and waits for its answer.
   *
   * @throws UsageError if none or the wrong one comes; the error of the journal if that cannot be written
   */
  run(target: { url: string; secret: string | ParsedSecret; nowMs: number }): Promise<void>
}

/** Handles the trial request instead of recording it; `undefined` for every other request. */
export type Recognise = (request: IncomingMessage) => (() => Promise<'ready'>) | undefined

const header = 'dlv-self-check'

/** A listener that takes longer has lost the sender by then. */
const longestMs = limits.webhookResponseTimeoutSeconds * 1_000

export function selfCheck(probe: () => Promise<void>, timeoutMs = longestMs): SelfCheck {
  const mark = randomBytes(32).toString('hex')
  const expected = Buffer.from(mark)
  /** The write to the journal, once the request has come that far. */
  let written: Promise<void> | undefined
  return {
    recognise(request) {
      const claimed = request.headers[header]
      if (claimed === undefined) return undefined
      const given = Buffer.from(String(claimed))
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      return async () => {
        written = probe()
        await written
        return 'ready'
      }
    },
    async run({ url, secret, nowMs }) {
      const body = Buffer.from('{}')
      const signed = signatureHeaders({
        secrets: [secret],
        id: `self-check-${mark.slice(0, 8)}`,
        timestampSeconds: Math.floor(nowMs / 1000),
        body,
      })
      const outcome = await post({
        url,
        headers: { ...signed, [header]: mark },
        body,
        timeoutMs,
        trustAnyone: true,
      })
      if (outcome.answered && outcome.status === 200) return
      if (written !== undefined && outcome.answered) await written
      if (written !== undefined && !outcome.answered && outcome.failure === 'timeout')
        throw new UsageError(`the journal has not taken a write within ${timeoutMs / 1_000} s`, {
          hint: 'Start the listener again once its disk or database, and this machine, have less to do.',
        })
      const why = outcome.answered ? `the answer was ${outcome.status}: ${outcome.body.toString()}` : outcome.message
      throw new UsageError(`the listener cannot reach itself at ${url}: ${why}`, {
        hint: 'Is the address one of this machine, and nothing between that intercepts local connections?',
      })
    },
  }
}

/** Names by which a listener on loopback may be addressed; any other name indicates DNS rebinding. */
const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '::1']

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::'

/**
 * The names that requests may be addressed to, as a Host header has them: on the loopback only those that mean it, so
 * that no web page can reach it by a rebound name. `undefined` for any.
 */
export function acceptedHosts(host: string, allowed: readonly string[] = []): ReadonlySet<string> | undefined {
  if (!isLoopback(host) && allowed.length === 0) return undefined
  return new Set([...[...loopbackNames, host].map(bracketed), ...allowed.map(nameOf)])
}

/** The name in what people give for one: a whole address, or a name with a port, as they have it in the browser. */
function nameOf(given: string): string {
  return given
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .replace(/:\d+$/, '')
}

/** The name under which a listener reaches itself. */
export function reachableName(host: string): string {
  if (isEverywhere(host)) return host === '::' ? '[::1]' : '127.0.0.1'
  return bracketed(host)
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host
}
