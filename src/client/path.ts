import { formatQuery, UsageError } from '../contract/index.js'
import { isLoopback } from '../shared/web-address.js'

/**
 * Fills `/deliveries/{deliveryId}` with percent-encoded parameters. Refuses what a server would read as another path:
 * an empty value, `.` and `..`.
 *
 * @throws UsageError naming the parameter and its value
 */
export function fillPath(template: string, parameters: Readonly<Record<string, unknown>>): string {
  if (!template.includes('{')) return template
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, parameters[name]))
}

/**
 * A path parameter, percent-encoded.
 *
 * @throws UsageError for a value that no request can carry
 */
export function encodeSegment(name: string, value: unknown): string {
  if (typeof value !== 'string' || value === '')
    throw new UsageError(`${name} is missing`, { hint: `Give the ${name} that the service returned.` })
  if (value === '.' || value === '..')
    throw new UsageError(`${name} must not be "${value}": it would address another path`)
  if (/\p{Surrogate}/u.test(value)) throw new UsageError(`${name} holds half of a character and cannot be sent`)
  return encodeURIComponent(value)
}

/** Joins base URL, path and query. The base URL keeps its own path; trailing slashes do not matter. */
export function joinUrl(baseUrl: string, path: string, query?: object): string {
  const parameters = query === undefined ? '' : formatQuery(query).toString()
  const joined = baseUrl.replace(/\/+$/, '') + path
  return parameters === '' ? joined : `${joined}${joined.includes('?') ? '&' : '?'}${parameters}`
}

/**
 * Refuses a base URL that could carry a key in the clear: https everywhere, http only on loopback.
 *
 * @throws UsageError
 */
export function assertSecureBaseUrl(baseUrl: string): void {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined) throw new UsageError('The base URL is not an address', { hint: baseUrlHint })
  if (url.username !== '' || url.password !== '')
    throw new UsageError('The base URL must not hold a user name or password', { hint: baseUrlHint })
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return
  throw new UsageError('The base URL would send the key unencrypted', { hint: baseUrlHint })
}

const baseUrlHint = 'Use an https address such as https://api.example.com/delivery/v1, or http on loopback.'
