import { UsageError } from '../../contract/index.js'
import type { Listener, ListenerRecord } from '../../listener/index.js'
import type { Settings } from '../../profiles/index.js'
import { missingJournal } from '../journal/place.js'
import { embeddedControl, servedControl } from '../sandbox/control.js'
import { accountSession, openAccounts } from '../session/account-session.js'
import type { Session } from '../session/session.js'
import { type Inspected, type InspectedAccount, type InspectedParts, pageClient } from '../ui/inspector.js'
import { Journals } from '../webhooks/journals.js'
import { openListener } from '../webhooks/listen-run.js'
import { type ListenedAccount, ListenedAccounts } from '../webhooks/listened-accounts.js'
import { registerWithSandbox, routesOfProject } from '../webhooks/listener-account.js'
import { Secrets } from '../webhooks/secrets.js'

type OnRecord = (record: ListenerRecord & { profile?: string }) => void

/** What a page shows, with the listener of this process and the settings of its accounts. */
interface PageAccounts extends Inspected {
  listener: Listener | undefined
  settings: readonly Settings[]
}

/**
 * The accounts of a page, opened side by side: the session's, or those of these profiles. Those of the embedded sandbox are
 * listened for, unless another process has their journal. Of several, one that cannot be opened is named on the page, and
 * hides nothing of the others.
 */
export async function pageAccounts(
  session: Session,
  profiles: readonly string[] | undefined,
  journal: string | undefined,
  onRecord: OnRecord,
): Promise<PageAccounts> {
  const unopened: { profile: string; message: string }[] = []
  const listening = journal === undefined ? await listenForEmbedded(session, profiles, onRecord) : undefined
  const opened = await openAccounts(session, profiles, async ({ profile, session: own }) => {
    const listened = listening?.served.accounts.find((one) => one.profile === profile)
    try {
      return { profile, ...(await pageAccount(listened?.session ?? own, { journal, listened, ...listening })) }
    } catch (error) {
      if (profile === undefined) throw error
      unopened.push({ profile, message: error instanceof Error ? error.message : String(error) })
      throw error
    }
  })
  const accounts = (profiles ?? [undefined]).flatMap(
    (profile) => opened.find((one) => one.profile === profile)?.account ?? [],
  )
  if (accounts.length === 0)
    throw new UsageError('None of the accounts can be opened.', { hint: `They were ${profiles?.join(', ')}.` })
  const settings = opened.map((one) => one.settings)
  const page = { accounts, unopened, areSeveral: profiles !== undefined, notices: session.notices }
  return { ...page, settings, listener: listening?.listener }
}

interface PageAccountOf {
  /** The value of `--journal`. */
  journal?: string | undefined
  /** The account as it is listened for in this process. */
  listened?: ListenedAccount | undefined
  listener?: Listener | undefined
}

/** One of the accounts of a page, or its only one. */
export async function pageAccount(
  session: Session,
  { journal, listened, listener }: PageAccountOf,
): Promise<{ account: InspectedAccount; settings: Settings }> {
  const settings = await session.provenSettings()
  const client = await session.client({ ...(await pageClient()), limit: 'each' })
  const journals = listened?.journals ?? new Journals(session, journal)
  const reader = await journals.ifAny()
  const sandbox = settings.baseUrl === undefined ? await session.account.sandbox() : undefined
  if (listener === undefined) sandbox?.startOutbox()
  const parts: InspectedParts = {
    client,
    secrets: listened?.followed ?? (await secretsOf(session, settings)),
    ...(reader === undefined ? {} : { journal: reader }),
    ...(listened === undefined || listener === undefined ? {} : { listener, mark: listened.mark }),
    ...(sandbox === undefined ? await localControl(session, settings) : { sandbox, control: embeddedControl(sandbox) }),
  }
  const { config, notices } = session
  const dataName = await session.account.dataName()
  return { account: { parts, settings, dataName, config, notices }, settings }
}

async function secretsOf(session: Session, { baseUrl, webhookSecrets }: Settings) {
  const secrets = new Secrets(session)
  return secrets.followed(baseUrl === undefined ? await secrets.given() : webhookSecrets)
}

/** The control API, if the service is a served sandbox of this user. */
async function localControl(session: Session, settings: Settings): Promise<Pick<InspectedParts, 'control'>> {
  const { baseUrl } = settings
  if (baseUrl === undefined || !(await session.account.isOwnSandbox(settings))) return {}
  return { control: await servedControl(baseUrl, session.account.proofPlace) }
}

/** Which of the accounts are of the embedded sandbox. */
async function embeddedOnes(session: Session, profiles: readonly string[]): Promise<string[]> {
  const all = profiles.map(async (profile) => ((await isEmbedded(accountSession(session, profile))) ? [profile] : []))
  return (await Promise.all(all)).flat()
}

async function isEmbedded({ account }: Session): Promise<boolean> {
  // What is wrong with an account is said when it is opened.
  const settings = await account.settings({ needsKey: false }).catch(() => undefined)
  return settings !== undefined && settings.baseUrl === undefined
}

interface Listening {
  served: ListenedAccounts
  listener: Listener
}

/** A listener for the accounts of the embedded sandbox, registered for each of them; `undefined` if none is of it. */
async function listenForEmbedded(
  session: Session,
  profiles: readonly string[] | undefined,
  onRecord: OnRecord,
): Promise<Listening | undefined> {
  const own = profiles && (await embeddedOnes(session, profiles))
  if (own === undefined ? !(await isEmbedded(session)) : own.length === 0) return undefined
  try {
    return await listenFor(session, own, onRecord)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    // Alone, it needs a journal to show: that of the process that has it.
    if (
      own === undefined &&
      missingJournal(session.context, await new Journals(session).place(), undefined) !== undefined
    )
      throw error
    session.notices.notice(`Not receiving webhooks here: ${error.message}`)
    return undefined
  }
}

async function listenFor(
  session: Session,
  profiles: readonly string[] | undefined,
  onRecord: OnRecord,
): Promise<Listening> {
  const served = await ListenedAccounts.open(session, profiles, {})
  const listener = await openListener(
    session.context,
    {},
    {
      ...served.listenerParts(),
      env: session.context.env,
      projectRoutes: await routesOfProject(served.accounts[0]?.session ?? session),
      routeAccounts: served.accounts,
      onRecord(record) {
        served.seen(record)
        onRecord(served.shown(record))
      },
    },
  )
  session.onClose(() => listener.close())
  session.onClose((error) => served.close(error))
  for (const account of served.accounts) await registerWithSandbox(listener, account)
  return { served, listener }
}
