import { DlvError } from '../../contract/index.js'
import type { JournalEvent } from '../../listener/index.js'
import { isPostgresAddress, shownAddress } from '../../postgres/index.js'
import { type AccountRecord, accountKeptWith, type NamedSecret, type Profile } from '../../profiles/index.js'
import { accountInJournal } from '../accounts/journal-account.js'
import { journalFileOf, journalPlace, missingJournal } from '../journal/place.js'
import type { Session } from '../session/session.js'

/** The newest received webhooks in which the last use of a secret is looked for. */
export const searchedWebhooks = 10_000

const otherJournal =
  'If the listener keeps another, such as one on PostgreSQL or another machine, name it with --journal or DLV_JOURNAL.'

/**
 * When each secret of a profile last verified a webhook of the journal, by the secret's name. Each webhook is verified again:
 * during a rotation it fits several secrets, of which a listener notes one, and by the name that the secret had for it.
 * Says what was looked at if a secret was not used.
 */
export async function secretUses(
  session: Session,
  profile: Profile,
  journalFlag: string | undefined,
): Promise<ReadonlyMap<string, number>> {
  const account = accountKeptWith(session.config.dataDir, profile)
  const place =
    journalPlace(session.context, journalFlag) ??
    (account === undefined ? undefined : journalFileOf(session.config.dataDir, account.dataName))
  if (place === undefined || profile.webhookSecrets.length === 0) return new Map()
  if (missingJournal(session.context, place, journalFlag) !== undefined) {
    session.notices.warn(`The last use is unknown: there is no journal ${place}. ${otherJournal}`)
    return new Map()
  }
  try {
    const { uses, webhooks, newestMs } = await usesIn(profile.webhookSecrets, newestEvents(session, place, account))
    if (uses.size < profile.webhookSecrets.length) session.notices.notice(lookedAt(session, place, webhooks, newestMs))
    return uses
  } catch (error) {
    if (!(error instanceof DlvError)) throw error
    session.notices.warn(`The last use is unknown: ${error.message}`)
    return new Map()
  }
}

/** The newest events of an account; of a journal that does not know it, those of each account there. */
async function* newestEvents(session: Session, place: string, account: AccountRecord | undefined) {
  const { readJournal } = await import('../../listener/index.js')
  const { context, config } = session
  const open = async (accounts: readonly string[]) => {
    const journal = await readJournal(place, context.env, { accounts })
    session.onClose(() => journal.close())
    return journal
  }
  const around = { apiKey: undefined, dataDir: config.dataDir, env: context.env, isWriting: false }
  const read = account === undefined ? [''] : (await accountInJournal(place, account, around)).read
  const own = await open(read)
  if (account !== undefined && (await own.count()) > 0) return yield* own.list({ limit: searchedWebhooks })
  const accounts = [...read, ...(await own.others()).map(({ account: other }) => other)]
  const all = await open(accounts)
  const limit = Math.ceil(searchedWebhooks / accounts.length)
  for (const each of accounts) yield* all.list({ account: each, limit })
}

async function usesIn(secrets: readonly NamedSecret[], events: AsyncIterable<JournalEvent>) {
  const { parseSecret, verify } = await import('../../webhooks/index.js')
  const keys = secrets.map((named) => ({ name: named.name, secret: parseSecret(named.secret, named) }))
  const uses = new Map<string, number>()
  let webhooks = 0
  let newestMs: number | undefined
  for await (const event of events) {
    // A pulled event was signed here.
    if (event.source !== 'webhook') continue
    webhooks++
    newestMs = Math.max(event.receivedAtMs, newestMs ?? 0)
    for (const { name, secret } of keys) {
      const { rawHeaders: headers, body, timestampSeconds: nowSeconds } = event
      const verdict = verify({ secrets: secret, headers, body, nowSeconds, maxBodyBytes: body.length })
      if (verdict.ok) uses.set(name, Math.max(event.receivedAtMs, uses.get(name) ?? 0))
    }
  }
  return { uses, webhooks, newestMs }
}

function lookedAt({ context }: Session, place: string, webhooks: number, newestMs: number | undefined): string {
  const shown = isPostgresAddress(place) ? shownAddress(place, context.env) : place
  const newest = newestMs === undefined ? '' : `, the newest of ${new Date(newestMs).toISOString()}`
  const count = `${webhooks.toLocaleString('en-US')} ${webhooks === 1 ? 'webhook' : 'webhooks'}`
  return `Looked at ${count} of the journal ${shown}${newest}. ${otherJournal}`
}
