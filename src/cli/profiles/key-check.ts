import type { ClientOptions } from '../../client/index.js'
import { ApiError, DlvError } from '../../contract/index.js'
import { accountKind, kindByEvents } from '../session/account-kind.js'

/** The service's response to a key; `text` is a sentence or two for people. */
export interface KeyCheck {
  works: boolean
  /** The service treats it as a live key, whatever its prefix is. */
  isLive: boolean
  /** What would show that. */
  sign: 'SANDBOX_ONLY' | 'livemode'
  text: string
}

const limitMs = 10_000

/**
 * Tests a key with one `GET /capabilities`, and whether it is a live one, without retries. Of what is to be a production
 * account it only reads. Never throws for an error of the service or the network.
 */
export async function checkKey(
  options: Pick<ClientOptions, 'baseUrl' | 'userAgent'> & { apiKey: string },
  isProduction: boolean,
): Promise<KeyCheck> {
  const { createClient } = await import('../../client/index.js')
  const sign = isProduction ? 'livemode' : 'SANDBOX_ONLY'
  const client = createClient({ timeoutMs: limitMs, maxWaitMs: 1, retries: { maxRetries: 0 }, ...options })
  try {
    const { accountType, capabilities } = await client.getCapabilities()
    const rate = capabilities.maxRequestsPerSecond
    // That it works is known, even if this question is not answered.
    const asked = isProduction ? kindByEvents(client) : accountKind(client)
    const { kind } = await asked.catch(() => ({ kind: 'unknown' }))
    const isTest = isProduction && kind === 'test'
    return {
      works: true,
      isLive: kind === 'live',
      sign,
      text: `The key works: ${accountType} account${rate == null ? '' : `, ${rate} requests/s`}.${isTest ? ' Its events are those of a test account.' : ''}`,
    }
  } catch (error) {
    if (!(error instanceof DlvError)) throw error
    return { works: false, isLive: false, sign, text: failureText(error) }
  } finally {
    await client.close()
  }
}

function failureText(error: DlvError): string {
  if (error instanceof ApiError && (error.status === 401 || error.status === 403))
    return `The service refused the key (${error.code}, HTTP ${error.status}).`
  return `Cannot test the key: ${error.message.replace(/\.$/, '')}.`
}
