import { UsageError } from '../../contract/index.js'
import type { Listener, ListenerRecord } from '../../listener/index.js'
import type { Settings } from '../../profiles/index.js'
import { embeddedControl, servedControl } from '../sandbox/control.js'
import { accountSession, openAccounts } from '../session/account-session.js'
import type { Session } from '../session/session.js'
import { type InspectedAccount, type InspectedParts, pageClient, type SeveralInspected } from '../ui/inspector.js'
import { Journals } from '../webhooks/journals.js'
import { openListener } from '../webhooks/listen-run.js'
import { type ListenedAccount, ListenedAccounts } from '../webhooks/listened-accounts.js'
import { Secrets } from '../webhooks/secrets.js'
import { registerWithSandbox, routesOfProject } from '../webhooks/session-listener.js'

type OnRecord = (record: ListenerRecord & { profile?: string }) => void

/** The control API, if the service is a served sandbox of this user. */
export async function localControl(session: Session, settings: Settings): Promise<Pick<InspectedParts, 'control'>> {
  const { baseUrl } = settings
  if (baseUrl === undefined || !(await session.account.isOwnSandbox(settings))) return {}
  return { control: await servedControl(baseUrl, session.account.proofPlace) }
}

/**
 * The accounts of a page that shows several, opened side by side. Those of the embedded sandbox are listened for, unless
 * another process has their journal. One that cannot be opened is named on the page, and hides nothing of the others.
 */
export async function pageAccounts(
  session: Session,
  profiles: readonly string[],
  journal: string | undefined,
  onRecord: OnRecord,
): Promise<SeveralInspected & { listener: Listener | undefined; settings: readonly Settings[] }> {
  const unopened: { profile: string; message: string }[] = []
  const embedded = await embeddedOnes(session, profiles)
  const listening = journal === undefined ? await listenFor(session, embedded, onRecord) : undefined
  const opened = await openAccounts(session, profiles, async ({ profile = '', session: own }) => {
    const listened = listening?.served.accounts.find((one) => one.profile === profile)
    try {
      return await pageAccount(listened?.session ?? own, { profile, journal, listened, listener: listening?.listener })
    } catch (error) {
      unopened.push({ profile, message: error instanceof Error ? error.message : String(error) })
      throw error
    }
  })
  const accounts = profiles.flatMap((profile) => opened.find((one) => one.profile === profile)?.account ?? [])
  if (accounts.length === 0)
    throw new UsageError('None of the accounts can be opened.', { hint: `They were ${profiles.join(', ')}.` })
  return {
    accounts,
    unopened,
    notices: session.notices,
    listener: listening?.listener,
    settings: opened.map(({ settings }) => settings),
  }
}

interface PageAccountOf {
  profile: string
  /** The value of `--journal`. */
  journal?: string | undefined
  /** The account as it is listened for in this process. */
  listened?: ListenedAccount | undefined
  listener?: Listener | undefined
}

/** One of the accounts of a page. */
export async function pageAccount(
  session: Session,
  { profile, journal, listened, listener }: PageAccountOf,
): Promise<{ profile: string; account: InspectedAccount; settings: Settings }> {
  const settings = await session.provenSettings()
  const client = await session.client({ ...(await pageClient()), limit: 'each' })
  const journals = listened?.journals ?? new Journals(session, journal)
  const reader = await journals.ifAny()
  const sandbox = settings.baseUrl === undefined ? await session.account.sandbox() : undefined
  if (listener === undefined) sandbox?.startOutbox()
  const parts: InspectedParts = {
    client,
    secrets: listened?.followed ?? (await new Secrets(session).followed(settings.webhookSecrets)),
    ...(reader === undefined ? {} : { journal: reader }),
    ...(listened === undefined || listener === undefined ? {} : { listener, mark: listened.mark }),
    ...(sandbox === undefined ? await localControl(session, settings) : { sandbox, control: embeddedControl(sandbox) }),
  }
  const { config, notices } = session
  const dataName = await session.account.dataName()
  return { profile, account: { parts, settings, dataName, config, notices }, settings }
}

/** The accounts of the embedded sandbox. */
async function embeddedOnes(session: Session, profiles: readonly string[]): Promise<string[]> {
  const all = profiles.map(async (profile) => {
    // What is wrong with an account is said when it is opened.
    const settings = await accountSession(session, profile)
      .account.settings({ needsKey: false })
      .catch(() => undefined)
    return settings !== undefined && settings.baseUrl === undefined ? [profile] : []
  })
  return (await Promise.all(all)).flat()
}

/** A listener for the accounts of the embedded sandbox, registered for each of them. */
async function listenFor(
  session: Session,
  profiles: readonly string[],
  onRecord: OnRecord,
): Promise<{ served: ListenedAccounts; listener: Listener } | undefined> {
  if (profiles.length === 0) return undefined
  try {
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
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    session.notices.notice(`Not receiving webhooks here: ${error.message}`)
    return undefined
  }
}
