import { Flags, type Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import type { JournalReader, ListenerRecord } from '../../listener/index.js'
import { accountLabel, type Settings } from '../../profiles/index.js'
import { card } from '../../render/answer-view.js'
import { paint } from '../../render/style.js'
import { journalFlag } from '../journal/place.js'
import { openPrivateUrl } from '../process/open-url.js'
import { embeddedControl, servedControl } from '../sandbox/control.js'
import type { Session } from '../session/session.js'
import { type InspectedParts, openInspector, pageClient } from '../ui/inspector.js'
import { Journals } from '../webhooks/journals.js'
import { openListener } from '../webhooks/listen-run.js'
import { Secrets } from '../webhooks/secrets.js'
import { listenAs, registerWithSandbox, routesOfProject } from '../webhooks/session-listener.js'

/** Flags of `ui`. */
export const pageFlags = {
  port: Flags.integer({ char: 'p', summary: 'Port; 0 for any free port', default: 4040, min: 0, max: 65_535 }),
  open: Flags.boolean({ summary: 'Open the page in the browser' }),
  ...journalFlag,
}

/** `ui`: find out what the page shows, serve it, print where it is, and wait for a signal. */
export async function servePage(session: Session, flags: Interfaces.InferredFlags<typeof pageFlags>): Promise<void> {
  const tools = { session, owned: new Secrets(session), journals: new Journals(session, flags.journal) }
  const signal = session.takeSignals()
  const settings = await session.provenSettings()
  const seen: ListenerRecord[] = []
  let see = (record: ListenerRecord): void => void seen.push(record)
  const parts = await partsOf(tools, flags.journal !== undefined, (record) => see(record))
  const { config, notices } = session
  const inspector = await openInspector(
    parts,
    { settings, dataName: await session.account.dataName(), config, notices },
    { port: flags.port },
  )
  session.onClose(() => inspector.close())
  see = inspector.see
  for (const record of seen) see(record)
  await announce(session, inspector.url, parts, settings)
  if (flags.open)
    session.onClose(
      openPrivateUrl(session.context, new URL(inspector.url), config.dataDir, (reason) =>
        session.notices.notice(`${reason}; open the URL yourself.`),
      ),
    )
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

type OnRecord = (record: ListenerRecord) => void

interface PageTools {
  session: Session
  owned: Secrets
  journals: Journals
}

/** The parts of the page, by the profile. */
async function partsOf(tools: PageTools, isJournalNamed: boolean, onRecord: OnRecord): Promise<InspectedParts> {
  const { session, owned, journals } = tools
  const settings = await session.account.settings()
  const client = await session.client({ ...(await pageClient()), limit: 'each' })
  const journal = isJournalNamed ? await journals.open() : undefined
  if (settings.baseUrl === undefined) return { client, ...(await embeddedParts(tools, journal, onRecord)) }
  const shown = journal ?? (await journals.ifAny())
  return {
    client,
    secrets: await owned.followed(settings.webhookSecrets),
    ...(shown === undefined ? {} : { journal: shown }),
    ...(await localControl(session, settings)),
  }
}

/** The embedded sandbox, and a listener registered with it unless another process has the journal. */
async function embeddedParts(tools: PageTools, journal: JournalReader | undefined, onRecord: OnRecord) {
  const { session, owned, journals } = tools
  const sandbox = await session.account.sandbox()
  const control = embeddedControl(sandbox)
  const secrets = await owned.given()
  const followed = await owned.followed(secrets)
  const parts = { control, secrets: followed, sandbox }
  sandbox.startOutbox()
  if (journal !== undefined) return { ...parts, journal }
  const { mark } = await listenAs(session, { secrets, followed, journals })
  try {
    const listener = await openListener(
      session.context,
      {},
      {
        secrets: followed,
        account: mark,
        otherSecrets: owned.foreign(secrets),
        journal: await journals.place(),
        env: session.context.env,
        projectRoutes: await routesOfProject(session),
        routeAccounts: [],
        onRecord,
      },
    )
    session.onClose(() => listener.close())
    await registerWithSandbox(listener, { session, mark, secrets, secretsOf: owned })
    const reader = await journals.ifAny()
    return { ...parts, listener, ...(reader === undefined ? {} : { journal: reader }) }
  } catch (error) {
    const others = error instanceof UsageError ? await journals.ifAny() : undefined
    if (others === undefined) throw error
    session.notices.notice(`Not receiving webhooks here: ${error instanceof Error ? error.message : ''}`)
    return { ...parts, journal: others }
  }
}

/** The control API, if the service is a served sandbox of this user. */
async function localControl(session: Session, settings: Settings): Promise<Pick<InspectedParts, 'control'>> {
  const { baseUrl } = settings
  if (baseUrl === undefined || !(await session.account.isOwnSandbox(settings))) return {}
  return { control: await servedControl(baseUrl, session.account.proofPlace) }
}

async function announce(
  session: Session,
  url: string,
  { listener }: InspectedParts,
  settings: Settings,
): Promise<void> {
  const account = accountLabel(settings)
  if (session.output.isJson || !session.output.style.terminal) return session.output.record({ type: 'ready', url })
  await session.output.text(
    card(
      paint(session.output.style, 'green', 'The page is ready.'),
      [
        ['Open', url, 'whole'],
        ['Account', settings.environment === 'production' ? `${account}, read-only` : account],
        ...(listener === undefined ? [] : [['Webhooks', listener.url] as [string, string]]),
        ['Stop', 'Ctrl-C'],
      ],
      session.output.style,
    ),
  )
}
