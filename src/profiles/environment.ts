import { UsageError } from '../contract/index.js'
import type { SqliteLock } from '../shared/sqlite.js'
import { isLoopback, parseWebAddress } from '../shared/web-address.js'

/** From the least to the most restricted. Only the environment decides what is allowed. */
export const environments = ['local', 'sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** Parses the name of an environment; `where` names its source in an error. */
export function parseEnvironment(name: string, where: string): Environment {
  const environment = environments.find((known) => known === name)
  if (environment !== undefined) return environment
  throw new UsageError(`${where} must be one of ${environments.join(', ')}, got "${name}".`)
}

/** The stricter of two environments. */
export function stricter(a: Environment, b: Environment): Environment {
  return environments.indexOf(a) >= environments.indexOf(b) ? a : b
}

const versionPath = '/delivery/v1'

/**
 * Parses a base URL: https anywhere, http only on this machine. Its path is kept; a missing `/delivery/v1` is added
 * with a notice. Throws `UsageError`; `where` names the source of the URL.
 */
export function parseBaseAddress(text: string, where: string): { baseUrl: string; notices: string[] } {
  const url = parseWebAddress(text, where, `https://api.example.com${versionPath}`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${where} must not contain a user name or password.`, {
      hint: 'Put the key into a profile or DLV_API_KEY.',
    })
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw new UsageError(`${where} must be https, because http would send the key of ${url.host} unencrypted.`, {
      hint: 'http is only for this machine (127.0.0.1, localhost, [::1]).',
    })
  if (url.search !== '' || url.hash !== '') throw new UsageError(`${where} must not have a query or fragment (? or #).`)
  const path = url.pathname.replace(/\/+$/, '')
  if (/\/v\d+$/.test(path)) return { baseUrl: url.origin + path, notices: [] }
  const baseUrl = `${url.origin}${path}${versionPath}`
  return { baseUrl, notices: [`${where} has no version path; using ${baseUrl}.`] }
}

/** How long a change waits for another change, which takes milliseconds. */
const patienceMs = 10_000

/**
 * Runs a change of a file while no other process changes it.
 *
 * @throws UsageError if another process holds it for long; whatever the change throws
 */
export async function lockedFile<Result>(file: string, change: () => Result): Promise<Result> {
  const lock = await lockOf(file)
  try {
    return change()
  } finally {
    lock.release()
  }
}

async function lockOf(file: string): Promise<SqliteLock> {
  const [{ acquireSqliteLock }, { sleep }] = await Promise.all([
    import('../shared/sqlite.js'),
    import('../shared/sleep.js'),
  ])
  const held = new UsageError(`Another dlv is changing ${file}.`, { hint: 'Run the command again when it has ended.' })
  for (const startedMs = performance.now(); ; ) {
    try {
      return acquireSqliteLock(`${file}.lock`, () => held)
    } catch (error) {
      if (error !== held) throw error
      if (performance.now() - startedMs > patienceMs) throw held
      await sleep(10)
    }
  }
}
