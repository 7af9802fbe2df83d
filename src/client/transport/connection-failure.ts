import { ConnectionError, type ConnectionFailure, DlvError } from '../../contract/index.js'
import { escapeControls } from '../../shared/texts.js'
import { isTlsCode, tlsRemedy, tlsWords } from '../../shared/tls-problems.js'

/** Error codes of Node and undici by what they mean to a caller. */
const reasons: Readonly<Record<string, ConnectionFailure>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'name-not-found',
  EAI_AGAIN: 'name-not-found',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unreachable',
  ERR_CONNECT_TIMEOUT: 'unreachable',
  UND_ERR_PRX_CONN: 'unreachable',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNRESET: 'reset',
  ECONNABORTED: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too-large',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  HPE_HEADER_OVERFLOW: 'too-large',
  UND_ERR_PRX_TLS: 'tls',
}

/** Why a request got no complete answer, from the error that Node or undici raised. */
function failureReason(error: unknown): ConnectionFailure {
  for (const code of errorCodes(error)) {
    const reason = reasons[code]
    if (reason !== undefined) return reason
    if (isTlsCode(code)) return 'tls'
    if (code.startsWith('HPE_')) return 'not-the-service'
  }
  return 'other'
}

/** The codes of an error, of its causes, and of the addresses that were tried in turn. */
function* errorCodes(error: unknown, depth = 0): Generator<string> {
  if (!(error instanceof Error) || depth > 4) return
  if ('code' in error && typeof error.code === 'string') yield error.code
  if (error instanceof AggregateError) for (const each of error.errors) yield* errorCodes(each, depth + 1)
  yield* errorCodes(error.cause, depth + 1)
}

/** Codes of Node that say a program is wrong, not the network. */
const defectCode =
  /^(?:ERR_(?:INVALID|MISSING|ASSERTION|MODULE|UNKNOWN|UNSUPPORTED|OUT_OF_RANGE|METHOD)|MODULE_NOT_FOUND|UND_ERR_INVALID|UND_ERR_NOT_SUPPORTED)/

/** Messages of engines for failures that only a bug in the program causes. */
const defectWords =
  /\bis not (?:a |an |defined|iterable|extensible)|^Cannot |\bundefined\b|\bnull\b|before initialization|Illegal invocation|Invalid (?:URL|value|time)|Failed to parse URL|read-?only|constructor/i

/** Messages of platforms for a failed `fetch`. */
const networkWords =
  /fetch|network|load failed|connect|request|socket|terminated|offline|internet|timed? ?out|abort|cancel|dns|certificate|tls|ssl/i

/**
 * Whether an error is a mistake in a transport or in what it calls. `fetch` reports a failed connection as a `TypeError`
 * too, whose cause has a code or whose message speaks of the network.
 */
function isDefect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ([...errorCodes(error)].some((code) => defectCode.test(code))) return true
  if (['ReferenceError', 'SyntaxError', 'RangeError', 'EvalError', 'URIError'].includes(error.name)) return true
  if (error.name !== 'TypeError' || failureReason(error) !== 'other') return false
  // Some platforms quote the address, in which anything may occur.
  const words = error.message.replace(/\bhttps?:\S+/g, '')
  return defectWords.test(words) || !networkWords.test(words)
}

/**
 * Turns what Node, undici or a `fetch` raised into a `ConnectionError` with clear words and a remedy. Errors of this
 * package and mistakes in a program stay what they are: nothing gets better by sending the request again.
 */
export function connectionFailure(error: unknown, url: string): Error {
  if (error instanceof DlvError || isDefect(error)) return error as Error
  const reason = failureReason(error)
  const { host, hostname } = new URL(url)
  const detail = escapeControls(error instanceof Error ? error.message : String(error))
  const { message, hint } = describe(reason, host, hostname, detail)
  return new ConnectionError(message, { reason, hint, cause: error })
}

function describe(
  reason: ConnectionFailure,
  host: string,
  hostname: string,
  detail: string,
): { message: string; hint?: string } {
  switch (reason) {
    case 'refused':
      return {
        message: `Nothing is listening on ${host}`,
        hint: 'Check the base URL and that the server is running.',
      }
    case 'name-not-found':
      return {
        message: `The name ${hostname} was not found`,
        hint: 'Check the base URL, and the network or VPN that knows the name.',
      }
    case 'unreachable':
      return { message: `No connection to ${host} could be made: ${detail}`, hint: 'Check the network and any proxy.' }
    case 'tls':
      return {
        message: `No trusted connection to ${host}: ${tlsWords(detail)}`,
        hint: tlsRemedy(detail),
      }
    case 'timeout':
      return { message: `${host} did not answer in time` }
    case 'reset':
      return { message: `${host} closed the connection before the answer was complete` }
    case 'truncated':
      return { message: `The answer from ${host} was cut short` }
    case 'too-large':
      return { message: `The answer from ${host} is larger than allowed` }
    case 'not-the-service':
      return {
        message: `${host} does not speak HTTP as expected: ${detail}`,
        hint: 'Check that the base URL is that of the service.',
      }
    default:
      return { message: `The request to ${host} failed: ${detail}` }
  }
}
