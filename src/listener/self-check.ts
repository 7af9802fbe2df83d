import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { UsageError } from '../contract/index.js'
import { post, signatureHeaders } from '../webhooks/index.js'

/** A listener's trial of itself: a signed request that goes the whole way to the disk and leaves no event there. */
interface SelfCheck {
  recognise: Recognise
  /**
   * Posts to the listener and waits for its answer.
   *
   * @throws UsageError if none or the wrong one comes.
   */
  run(target: { url: string; secret: string; nowMs: number }): Promise<void>
}

/** Handles the trial request instead of recording it; `undefined` for every other request. */
export type Recognise = (request: IncomingMessage) => (() => Promise<'ready'>) | undefined

const header = 'dlv-self-check'

export function selfCheck(probe: () => Promise<void>): SelfCheck {
  const mark = randomBytes(32).toString('hex')
  const expected = Buffer.from(mark)
  return {
    recognise(request) {
      const claimed = request.headers[header]
      if (claimed === undefined) return undefined
      const given = Buffer.from(String(claimed))
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
      return async () => {
        await probe()
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
        timeoutMs: 5_000,
        trustAnyone: true,
      })
      if (outcome.answered && outcome.status === 200) return
      const why = outcome.answered ? `the answer was ${outcome.status}: ${outcome.body.toString()}` : outcome.message
      throw new UsageError(`the listener cannot reach itself at ${url}: ${why}`, {
        hint: 'Is the address one of this machine, and nothing between that intercepts local connections?',
      })
    },
  }
}
