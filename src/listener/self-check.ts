import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { limits, UsageError } from '../contract/index.js'
import type { ParsedSecret } from '../webhooks/index.js'
import { post, signatureHeaders } from '../webhooks/index.js'

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
