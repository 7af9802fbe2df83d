import type { Client } from '../../client/index.js'
import { ApiError, DlvError } from '../../contract/index.js'
import { didYouMean, suggestions } from '../../shared/suggestions.js'

type Lists = Pick<Client, 'each'>

const limitMs = 5_000

/**
 * Runs a call about an installation. If no installation has the code, the error suggests the most similar code.
 *
 * @param service opens the service; called only after such an error
 */
export async function suggestingCode<Result>(
  service: () => Promise<Lists>,
  code: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'INSTALLATION_NOT_FOUND') throw error
    const hint = await nearestCodeHint(service, code)
    throw hint === undefined ? error : new ApiError(error.message, { ...error, hint })
  }
}

/** "Did you mean …?" for a code that the service does not list, or for an installation's name in place of its code. */
export async function nearestCodeHint(service: () => Promise<Lists>, code: string): Promise<string | undefined> {
  const codes = new Map<string, string>()
  try {
    const options = { timeoutMs: limitMs, retries: { maxRetries: 0 } }
    for await (const installation of (await service()).each('listInstallations', { limit: 100 }, options)) {
      codes.set(plain(installation.name ?? ''), installation.code)
      codes.set(plain(installation.code), installation.code)
    }
  } catch (error) {
    if (error instanceof DlvError) return undefined
    throw error
  }
  const [near] = suggestions(plain(code), [...codes.keys()], 1)
  const found = near === undefined ? undefined : codes.get(near)
  return found === undefined || found === code ? undefined : didYouMean([found])
}

/** Without case, spaces and punctuation. */
function plain(text: string): string {
  return text
    .slice(0, 80)
    .toUpperCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
}
