import type { Client } from '../../../client/index.js'
import { isResponseField, UsageError } from '../../../contract/index.js'
import type { SentLedger } from '../../../sent/index.js'
import type { AffectingChange } from '../../../trade/policy-changes.js'
import { affectingChange } from '../../events/affecting-change.js'
import { eventService } from '../../events/event-service.js'
import { parseTime } from '../../input/times.js'
import type { Session } from '../../session/session.js'
import { judgingOf } from '../problem-rules.js'
import { Installations, type SentFactsOf, type Wanted } from './chosen.js'
import { type Listing, needsDetails } from './filters.js'
import { type DeliveryListFlags, listingOf } from './flags.js'

/** What a list is to show, and which source can answer it. Nothing of the list has been read yet. */
export interface ListPlan {
  listing: Listing
  change: AffectingChange | undefined
  /** The period as it was typed, or its default. */
  from: string
  isDefaultPeriod: boolean
  /** Fields of `--columns` that only a whole delivery has. */
  columns: readonly string[]
  /** Whether deliveries themselves are needed, not only the items of the service's list. */
  needsMore: boolean
  /** Whether the archive answers. */
  isArchived: boolean
  /** Whether rows are filtered or sorted here, so that no cursor of the service leads on. */
  isDoneHere: boolean
}

/** The period of a list by the service's clock. */
export interface ListSpan {
  from: string
  to?: string
}

/** Reads the flags and decides on the source. Throws `UsageError`; `--affected` and `--installation` ask the service. */
export async function planList(session: Session, client: Client, flags: DeliveryListFlags): Promise<ListPlan> {
  const given = listingOf(flags, session.notices)
  const change =
    flags.affected === undefined
      ? undefined
      : await affectingChange(client, eventService(client, session.clocks(client)), flags.affected)
  const installation = change?.installation.code ?? (await codeOf(session, given.installation))
  const listing = { ...given, installation, active: given.active || change !== undefined }
  const shown = session.output.isJson ? [] : (session.output.choices.columns ?? [])
  const columns = shown.filter(
    (name) => !isResponseField(name, ['listDeliveries']) && isResponseField(name, ['getDelivery']),
  )
  const needsMore = needsDetails(listing, columns)
  const isArchived = flags.ref === undefined && (needsMore || flags.fresh === 'no')
  const isGroup = listing.active || listing.problem
  const isDoneHere = isGroup || listing.statuses.length > 1 || needsMore || isArchived || listing.sort !== undefined
  if (isDoneHere && flags.cursor !== undefined)
    throw new UsageError('--cursor continues a list of the service, not one that is filtered or sorted here.', {
      hint: 'Use --all, a larger --limit, or --to with the time of the last delivery.',
    })
  return {
    listing,
    change,
    // A policy also applies to orders that were scheduled long ago.
    from: flags.from ?? (change === undefined ? '24h' : '30d'),
    isDefaultPeriod: flags.from === undefined && flags.ref === undefined && change === undefined,
    columns,
    needsMore,
    isArchived,
    isDoneHere,
  }
}

/** The code of the installation that `--installation` names. */
async function codeOf(session: Session, text: string | undefined): Promise<string | undefined> {
  if (text === undefined) return undefined
  const { InstallationNames } = await import('../../installations/order-names.js')
  const names = new InstallationNames(session)
  return names.codeFor(text, '--installation', (said) => session.notices.notice(said))
}

export function spanOf({ from }: Pick<ListPlan, 'from'>, to: string | undefined, nowMs: number): ListSpan {
  return {
    from: parseTime(from, '--from', nowMs),
    ...(to === undefined ? {} : { to: parseTime(to, '--to', nowMs) }),
  }
}

/** What the rows are chosen by and completed with, among them what was sent from this machine. */
export async function wantedOf(
  session: Session,
  { listing, change, columns }: ListPlan,
  flags: DeliveryListFlags,
  nowMs: number,
): Promise<Wanted> {
  const ledger = await session.account.ledgerIfAny()
  const isJudged = listing.problem || change !== undefined
  const judging = isJudged ? await judgingOf(flags, session.context, ledger?.read()) : {}
  const installations = listing.installation === undefined ? new Installations() : installationsOf(ledger)
  return { listing, nowMs, judging, columns, installations, change, sent: sentOf(listing, ledger) }
}

/** The installations that orders were sent to from here, because a service may not return them. */
function installationsOf(ledger: SentLedger | undefined): Installations {
  return new Installations(ledger?.read().installations ?? new Map(), (name) => ledger?.deliveryOf(name) !== undefined)
}

function sentOf({ parts }: Listing, ledger: SentLedger | undefined): SentFactsOf {
  const facts = parts.includes('sent') ? ledger?.read().facts : undefined
  return ({ clientOrderReference }) => facts?.(clientOrderReference ?? '') ?? null
}
