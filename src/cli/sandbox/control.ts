import { apiErrorOf, ConnectionError, ErrorBody } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import { type ProofPlace, provenSandbox } from '../session/own-sandbox.js'

/** Calls the control API of a sandbox: the one in this process, or a served one that proves to belong to this user. */
export type SandboxControl = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<unknown>

const limitMs = 30_000
/** For calls that can take long: a million deliveries, or years of the clock. */
const longLimitMs = 3_600_000
const longCalls = /^\/(?:seed|clock|reset|snapshots\/)/

/** The command that lists the known values of a field in an error's details. */
const lists: Readonly<Record<string, string>> = {
  eventId: 'dlv events list shows the events, which are kept for 30 days.',
  endpointId: 'dlv sandbox endpoints list shows the endpoints.',
  known: 'dlv sandbox snapshot list shows the snapshots.',
}

/** The lifetime of a proof: a page sends several requests per second. */
const proofMs = 1_000

/** The control API of the sandbox in this process. */
export function embeddedControl(sandbox: { fetch(request: Request): Promise<Response> }): SandboxControl {
  return (method, path, body) => ask((request) => sandbox.fetch(request), 'http://127.0.0.1', method, path, body)
}

/**
 * The control API of a served sandbox, which has to prove that it belongs to this user before it gets anything: whoever
 * takes over its port gets nothing either.
 *
 * @throws UsageError if it does not prove it; ConnectionError if nothing answers
 */
export async function servedControl(baseUrl: string, place: ProofPlace): Promise<SandboxControl> {
  let origin = await provenSandbox(baseUrl, place)
  let provenMs = performance.now()
  return async (method, path, body) => {
    if (performance.now() - provenMs > proofMs) {
      origin = await provenSandbox(baseUrl, place)
      provenMs = performance.now()
    }
    return ask(fetch, origin, method, path, body)
  }
}

async function ask(
  send: (request: Request) => Promise<Response>,
  origin: string,
  method: string,
  path: string,
  body: unknown,
): Promise<unknown> {
  const request = new Request(`${origin}/_sandbox${path}`, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(longCalls.test(path) ? longLimitMs : limitMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  let response: Response
  try {
    response = await send(request)
  } catch (cause) {
    throw new ConnectionError(`Nothing answers at ${origin}/_sandbox.`, { reason: 'refused', cause })
  }
  const text = await response.text()
  const value = tryParseJson(text, 'answer')?.value
  if (response.ok) return value
  const refusal = ErrorBody.safeParse(value)
  if (!refusal.success)
    throw new ConnectionError(`${origin}/_sandbox${path} answered ${response.status}; is it a sandbox of dlv?`, {
      reason: 'not-the-service',
      status: response.status,
    })
  throw apiErrorOf(response.status, refusal.data, listHint(refusal.data))
}

/** The hint for something that the sandbox did not find; the contract's codes explain themselves. */
function listHint({ error: { code, details } }: ErrorBody): string | undefined {
  if (code !== 'NOT_FOUND') return undefined
  return Object.keys(details ?? {}).flatMap((field) => lists[field] ?? [])[0]
}
