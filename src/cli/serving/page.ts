import { Flags, type Interfaces } from '@oclif/core'
import { UsageError } from '../../contract/index.js'
import type { JournalReader, ListenerRecord } from '../../listener/index.js'
import { accountLabel } from '../../profiles/index.js'
import { card } from '../../render/answer-view.js'
import { paint } from '../../render/style.js'
import type { Inspector } from '../../ui/index.js'
import { journalFlag } from '../journal/place.js'
import { openPrivateUrl } from '../process/open-url.js'
import { embeddedControl } from '../sandbox/control.js'
import type { Session } from '../session/session.js'
import { type InspectedParts, openInspector, openInspectorOfSeveral, pageClient } from '../ui/inspector.js'
import { Journals } from '../webhooks/journals.js'
import { heldRecords, openListener } from '../webhooks/listen-run.js'
import { Secrets } from '../webhooks/secrets.js'
import { listenAs, registerWithSandbox, routesOfProject } from '../webhooks/session-listener.js'
import { localControl, pageAccounts } from './page-accounts.js'

/** Flags of `ui`. */
export const pageFlags = {
  port: Flags.integer({ char: 'p', summary: 'Port; 0 for any free port', default: 4040, min: 0, max: 65_535 }),
  open: Flags.boolean({ summary: 'Open the page in the browser' }),
  ...journalFlag,
}

/** `ui`: find out what the page shows, serve it, print where it is, and wait for a signal. */
export async function servePage(
  session: Session,
  profiles: readonly string[] | undefined,
  flags: PageFlags,
): Promise<void> {
  const signal = session.takeSignals()
  const held = heldRecords<Parameters<OnRecord>[0]>()
  const { inspector, lines } =
    profiles === undefined
      ? await pageOfOne(session, flags, held.see)
      : await pageOfSeveral(session, profiles, flags, held.see)
  session.onClose(() => inspector.close())
  held.release(inspector.see)
  await announce(session, inspector.url, lines)
  if (flags.open)
    session.onClose(
      openPrivateUrl(session.context, new URL(inspector.url), session.config.dataDir, (reason) =>
        session.notices.notice(`${reason}; open the URL yourself.`),
      ),
    )
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

type PageFlags = Interfaces.InferredFlags<typeof pageFlags>
type OnRecord = (record: ListenerRecord & { profile?: string }) => void

/** A page, and the lines that say what it shows. */
interface OpenedPage {
  inspector: Inspector
  lines: [string, string][]
}

const webhooksAt = (listener: InspectedParts['listener']): [string, string][] =>
  listener === undefined ? [] : [['Webhooks', listener.url]]

async function pageOfSeveral(
  session: Session,
  profiles: readonly string[],
  flags: PageFlags,
  see: OnRecord,
): Promise<OpenedPage> {
  const { listener, settings, ...page } = await pageAccounts(session, profiles, flags.journal, see)
  const inspector = await openInspectorOfSeveral(page, { port: flags.port })
  const named = settings.map((one) => (one.environment === 'production' ? `${one.profile} (read-only)` : one.profile))
  return { inspector, lines: [['Accounts', named.join(', ')], ...webhooksAt(listener)] }
}

async function pageOfOne(session: Session, flags: PageFlags, see: OnRecord): Promise<OpenedPage> {
  const tools = { session, owned: new Secrets(session), journals: new Journals(session, flags.journal) }
  const settings = await session.provenSettings()
  const parts = await partsOf(tools, flags.journal !== undefined, see)
  const { config, notices } = session
  const inspector = await openInspector(
    parts,
    { settings, dataName: await session.account.dataName(), config, notices },
    { port: flags.port },
  )
  const account = accountLabel(settings)
  const named = settings.environment === 'production' ? `${account}, read-only` : account
  return { inspector, lines: [['Account', named], ...webhooksAt(parts.listener)] }
}

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

async function announce(session: Session, url: string, lines: OpenedPage['lines']): Promise<void> {
  if (session.output.isJson || !session.output.style.terminal) return session.output.record({ type: 'ready', url })
  await session.output.text(
    card(
      paint(session.output.style, 'green', 'The page is ready.'),
      [['Open', url, 'whole'], ...lines, ['Stop', 'Ctrl-C']],
      session.output.style,
    ),
  )
}
