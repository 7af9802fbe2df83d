import { apiErrorOf, ConnectionError, ErrorBody, UsageError } from '../../contract/index.js'
import { accountName, type Settings } from '../../profiles/index.js'
import { tryParseJson } from '../../shared/json.js'
import { refuseOnProduction } from '../command/production-guard.js'
import { embeddedFile } from '../session/embedded-sandbox.js'
import { type ProofPlace, provenSandbox } from '../session/own-sandbox.js'
import type { Session } from '../session/session.js'

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

/**
 * The id of the sandbox account that is named, or that the API key in use belongs to; `undefined` for the default one. A
 * control request names the account by it, so that no key is sent.
 *
 * @throws UsageError if it is not an account of the sandbox
 */
export async function accountIdOf(
  control: SandboxControl,
  settings: Pick<Settings, 'apiKey' | 'baseUrl' | 'profile'>,
  named?: string,
): Promise<string | undefined> {
  const account = named ?? settings.apiKey
  if (account === undefined) return undefined
  const isNamed = (one: Pick<SandboxAccount, 'accountId' | 'apiKey'>) =>
    [one.apiKey, one.accountId, one.accountId.replace('acc_', '')].includes(account)
  const { accounts } = await import('../../sandbox/internal.js')
  const known = accounts.find(isNamed) ?? (await accountsIn(control)).find(isNamed)
  if (known !== undefined) return known.accountId
  const what = named === undefined ? `The key of ${accountName(settings)}` : `--account "${named.slice(0, 40)}"`
  throw new UsageError(`${what} is not an account of the sandbox.`, {
    hint: 'dlv sandbox accounts list shows its accounts.',
  })
}

/** An account of a sandbox, with the key that opens it. */
export interface SandboxAccount {
  name: string
  accountId: string
  type: string
  requestsPerSecond: number
  livemode: boolean
  /** Whether it was added to those that every sandbox has. */
  added: boolean
  apiKey: string
}

/** The accounts of a sandbox. */
export async function accountsIn(control: SandboxControl): Promise<SandboxAccount[]> {
  return ((await control('GET', '/accounts')) as { accounts: SandboxAccount[] }).accounts
}

/**
 * The control API of the session's sandbox, embedded or served.
 *
 * @param options `replaceDamaged` replaces a damaged file of the embedded sandbox with an empty state, and says so
 * @throws UsageError on production
 */
export async function controlOf(session: Session, options: { replaceDamaged?: boolean } = {}): Promise<SandboxControl> {
  const settings = await sandboxSettings(session)
  const { account, output } = session
  const control =
    settings.baseUrl === undefined
      ? embeddedControl(await account.sandbox(options))
      : await servedControl(settings.baseUrl, account.proofPlace)
  output.followClock(async () => Date.parse(((await control('GET', '/clock')) as { now: string }).now))
  return control
}

/** The location of the state, for a question: a file, or the URL of the sandbox that serves it. */
export async function stateName(session: Session): Promise<string> {
  const { baseUrl } = await sandboxSettings(session)
  return baseUrl ?? embeddedFile(session.config.dataDir)
}

/** The account that endpoints and secrets belong to: the named one, or the one of the API key in use. */
export async function accountChoice(
  { account }: Session,
  control: SandboxControl,
  named?: string,
): Promise<{ account?: string }> {
  const accountId = await accountIdOf(control, await account.settings({ needsKey: false }), named)
  return accountId === undefined ? {} : { account: accountId }
}

async function sandboxSettings({ account, command }: Session) {
  const settings = await account.settings({ needsKey: false })
  refuseOnProduction(settings, command)
  return settings
}
