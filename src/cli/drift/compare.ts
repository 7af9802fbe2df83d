import { existsSync } from 'node:fs'
import { type Client, createPacer } from '../../client/index.js'
import { UsageError } from '../../contract/index.js'
import { tryParseJson } from '../../shared/json.js'
import { pathOf } from '../input/named-file.js'
import { readInputText } from '../input/read.js'
import { templateOrder } from '../orders/template-order.js'
import { exitCodes } from '../process/exit-codes.js'
import { accountKind } from '../session/account-kind.js'
import type { Session } from '../session/session.js'
import type { Journals } from '../webhooks/journals.js'
import { checkEvent, checkResponse } from './check.js'
import { type Findings, readBaseline } from './finding.js'
import {
  type Created,
  cancelCreated,
  LiveAccountError,
  probeLives,
  probeReads,
  type Route,
  usedRoute,
} from './probe.js'
import { type Observed, observedOfHar, observedOfLine } from './recorded.js'

export async function knownDifferences(
  session: Session,
  file: string | undefined,
  isWritten: boolean,
): Promise<ReadonlySet<string>> {
  if (file === undefined || (isWritten && !existsSync(pathOf(session.context, file)))) return new Set()
  return readBaseline(await readInputText(session.context, file, '--baseline'), file)
}

export async function compareArchive(session: Session, file: string, findings: Findings): Promise<void> {
  const observed = observedOfHar(await readInputText(session.context, file, '--har'))
  if (observed === undefined)
    throw new UsageError(`--har ${file} is not an HTTP archive.`, { hint: 'Save one from a browser or a proxy.' })
  for (const one of observed) add(findings, one)
}

export async function compareLines(session: Session, file: string, findings: Findings): Promise<void> {
  const lines = (await readInputText(session.context, file, '--input')).split('\n')
  let other = 0
  for (const line of lines) {
    if (line.trim() === '') continue
    const observed = observedOfLine(line)
    if (observed === undefined) other++
    else add(findings, observed)
  }
  if (other > 0) session.notices.warn(`${other} lines of ${file} are neither events nor responses.`)
}

export async function compareJournal(journals: Journals, findings: Findings): Promise<void> {
  const journal = await journals.open()
  for await (const { body } of journal.list()) {
    const json = tryParseJson(body)
    if (json !== undefined) add(findings, { event: json.value })
  }
}

/** Probes the service, and returns what could not be tried. */
export async function probe(session: Session, findings: Findings, store: string | undefined): Promise<string[]> {
  const client = await session.client({ pacer: createPacer(), retries: { maxRetries: 2 } })
  const notTried = await probeAsTest(session, client, findings, store)
  await probeReads(client, findings, client.serviceNowMs() ?? session.nowMs())
  for (const part of notTried) session.notices.notice(`Not tried: ${part}.`)
  return notTried
}

/** The requests that only a test account may get. Whatever they leave under way is cancelled and named. */
async function probeAsTest(
  session: Session,
  client: Client,
  findings: Findings,
  given: string | undefined,
): Promise<string[]> {
  const settings = await session.account.settings()
  const writes = 'quotes, creation, update, simulation, cancellation'
  if (settings.environment === 'production') return [`${writes}: the account is production`]
  const { kind, answer } = await accountKind(client)
  if (kind !== 'test')
    return [`${writes}: the account did not prove to be a test account; simulating an unknown delivery got ${answer}`]
  const nowMs = client.serviceNowMs() ?? session.nowMs()
  const route = (await usedRoute(client, nowMs, given)) ?? (await ownRoute(session))
  if (route === undefined) return [`${writes}: no store is known; name one with --store`]
  const created: Created = new Map()
  try {
    const name = `DRIFT-${session.nowMs().toString(36).toUpperCase()}`
    return await probeLives(client, findings, { name, route, created })
  } catch (error) {
    if (!(error instanceof LiveAccountError)) throw error
    if (created.size > 0) session.endWith(exitCodes.otherOutcome)
    return [`what only a test account may get: ${error.message}`]
  } finally {
    for (const line of await cancelCreated(client, created)) session.notices.warn(line)
  }
}

/** A route of a sandbox of this user, which may have no deliveries yet. */
async function ownRoute(session: Session): Promise<Route | undefined> {
  if (!(await session.account.isOwnSandbox(await session.account.settings()))) return undefined
  return { store: templateOrder.pickup.storeReference, address: templateOrder.dropoff.address }
}

function add(findings: Findings, observed: Observed): void {
  if ('event' in observed) findings.add(checkEvent(observed.event))
  else {
    const found = checkResponse(observed.response)
    if (found !== undefined) findings.add(found)
  }
}
