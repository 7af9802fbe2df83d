import type { IncomingHttpHeaders } from 'node:http'
import { ConnectionError } from '../dlv-error.js'
import { excerpt } from '../texts.js'
import { isTlsCode, tlsRemedy, tlsWords } from '../tls-problems.js'
import type { ForwardProxy } from './proxy-for.js'

/** The host and port that a tunnel leads to. */
export interface TunnelTarget {
  /** A name or an address, without brackets. */
  host: string
  /** Its port. */
  port: number
}

/** Statuses after which another attempt gets the same answer, and a wrong password may lock an account. */
const finalStatuses: ReadonlySet<number> = new Set([401, 403, 407])

/** The proxy answered CONNECT with another status than 2xx: no byte of the request has left this machine. */
export function refusedTunnel(
  proxy: ForwardProxy,
  target: TunnelTarget,
  answer: { status: number; headers: IncomingHttpHeaders; body: string },
): ConnectionError {
  const { status, headers } = answer
  const said = saidBy(answer)
  const isFinal = finalStatuses.has(status)
  return new ConnectionError(
    `${nameOf(proxy)} ${isFinal ? 'refused' : 'could not open'} a tunnel to ${addressOf(target)}: HTTP ${status}${said === '' ? '' : ` (${said})`}`,
    {
      reason: isFinal ? 'proxy-refused' : 'proxy',
      status,
      retryAfterMs: secondsOf(headers['retry-after']),
      hint: `Nothing was sent. ${remedyFor(proxy, target, status, headers)}`,
    },
  )
}

/** The proxy gave no answer that can be used. */
export function brokenTunnel(proxy: ForwardProxy, target: TunnelTarget, what: string, remedy: string, cause?: unknown) {
  return new ConnectionError(`${nameOf(proxy)} ${what}`, {
    reason: 'proxy',
    hint: `Nothing was sent to ${target.host}. ${remedy}`,
    cause,
  })
}

/** A connection to the proxy that failed, or that ended before the tunnel was there. */
export function proxyFailure(proxy: ForwardProxy, target: TunnelTarget, error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error
  const { code = '', message } = codedError(error)
  const fail = (what: string, remedy: string) => brokenTunnel(proxy, target, what, remedy, error)
  const check = `Check ${proxy.variable} and that the proxy is running.`
  if (code === 'ECONNREFUSED') return fail('cannot be reached: nothing is listening there', check)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fail(
      `cannot be reached: the name ${proxy.url.hostname} was not found`,
      `Check ${proxy.variable} and the network.`,
    )
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return fail(
      `does not speak TLS, as "https:" in ${proxy.variable} says`,
      `Most proxies are reached by http://: write ${proxy.variable}=http://${proxy.host}.`,
    )
  if (isTlsCode(code)) return fail(`has a certificate that is not trusted: ${tlsWords(message)}`, tlsRemedy(message))
  if (code.startsWith('HPE_'))
    return fail(
      'does not answer CONNECT by HTTP',
      `Check the scheme and port in ${proxy.variable}: https:// if the proxy itself is reached by TLS, socks5:// for SOCKS.`,
    )
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return fail(`closed the connection before the tunnel to ${addressOf(target)} was open`, check)
  return fail(`cannot be reached: ${message}`, check)
}

/** The proxy and the variable that names it, for the beginning of a sentence. */
export function nameOf({ host, variable }: Pick<ForwardProxy, 'host' | 'variable'>): string {
  return `The proxy ${host} (${variable})`
}

export function addressOf({ host, port }: TunnelTarget): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The error of Node behind an `AggregateError`, which has one for each address of a name. */
function codedError(error: unknown): { code?: string; message: string } {
  const first = error instanceof AggregateError && error.message === '' ? error.errors[0] : error
  if (!(first instanceof Error)) return { message: String(first) }
  return { code: (first as NodeJS.ErrnoException).code ?? '', message: excerpt(first.message) }
}

/** The proxy's own reason: Squid's header, or the title of its page. */
function saidBy({ headers, body }: { headers: IncomingHttpHeaders; body: string }): string {
  const squid = headers['x-squid-error']
  if (typeof squid === 'string' && squid !== '') return `X-Squid-Error: ${excerpt(squid)}`
  const [, title] = /<title[^>]*>([^<]*)<\/title>/i.exec(body) ?? []
  const [, heading] = /<h1[^>]*>([^<]*)<\/h1>/i.exec(body) ?? []
  return excerpt(title?.trim() || heading?.trim() || (body.includes('<') ? '' : body))
}

function remedyFor(proxy: ForwardProxy, target: TunnelTarget, status: number, headers: IncomingHttpHeaders): string {
  if (status !== 407 && status !== 401)
    return status === 403
      ? `Ask whoever runs the proxy to allow CONNECT to ${addressOf(target)}; if ${target.host} can be reached directly, add it to NO_PROXY.`
      : 'The proxy may not know or reach the service; ask whoever runs it if this lasts.'
  const schemes = String(headers['proxy-authenticate'] ?? '')
  if (schemes !== '' && !/basic/i.test(schemes)) {
    const [scheme] = schemes.split(/[\s,]/)
    return `It asks for ${excerpt(scheme ?? '')}, and dlv knows Basic only; a local proxy such as px or cntlm can stand between.`
  }
  return proxy.url.username === ''
    ? `It wants a user name and password: ${proxy.variable}=${proxy.url.protocol}//USER:PASSWORD@${proxy.host}.`
    : `It does not accept the user name and password in ${proxy.variable}; special characters have to be escaped (%40 for "@").`
}

function secondsOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value.trim()) ? Number(value) * 1_000 : undefined
}
