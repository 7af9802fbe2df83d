import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { limits } from '../../contract/index.js'

/** What came of one POST: a status, or why there is none. */
export interface PostOutcome {
  statusCode: number | undefined
  error: string | undefined
  durationMs: number
}

const ANSWER_TIMEOUT_MS = limits.webhookResponseTimeoutSeconds * 1_000

/** Posts webhooks over kept connections. Redirects are not followed and certificates are checked. */
export class Poster {
  private readonly http = new HttpAgent({ keepAlive: true, maxSockets: 64 })
  private readonly https = new HttpsAgent({ keepAlive: true, maxSockets: 64 })

  /** Never throws: a failure is an outcome. An answer counts from its status line; its body is read away. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<PostOutcome> {
    const startedMs = performance.now()
    return new Promise((resolve) => {
      const finish = (statusCode: number | undefined, error: string | undefined) => {
        resolve({ statusCode, error, durationMs: Math.round(performance.now() - startedMs) })
      }
      const secure = url.startsWith('https:')
      const request = (secure ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        agent: secure ? this.https : this.http,
        headers: { ...headers, 'Content-Type': 'application/json', 'Content-Length': body.length },
        signal,
      })
      const timer = setTimeout(() => {
        request.destroy()
        finish(undefined, `no answer within ${limits.webhookResponseTimeoutSeconds} seconds`)
      }, ANSWER_TIMEOUT_MS)
      request.on('response', (response) => {
        finish(response.statusCode, undefined)
        response.on('error', () => clearTimeout(timer))
        response.on('close', () => clearTimeout(timer))
        response.resume()
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        clearTimeout(timer)
        finish(undefined, error.code === undefined ? error.message : `${error.code}: ${error.message}`)
      })
      request.end(body)
    })
  }

  close(): void {
    this.http.destroy()
    this.https.destroy()
  }
}
