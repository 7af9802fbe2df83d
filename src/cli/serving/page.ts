import { Flags, type Interfaces } from '@oclif/core'
import type { ListenerRecord } from '../../listener/index.js'
import { accountLabel } from '../../profiles/index.js'
import { card } from '../../render/cards.js'
import { paint } from '../../render/style.js'
import { journalFlag } from '../journal/place.js'
import { openPrivateUrl } from '../process/open-url.js'
import type { Session } from '../session/session.js'
import { openInspector } from '../ui/inspector.js'
import { heldRecords } from '../webhooks/listen-run.js'
import { pageAccounts } from './page-accounts.js'

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
  const held = heldRecords<ListenerRecord & { profile?: string }>()
  const page = await pageAccounts(session, profiles, flags.journal, held.see)
  const inspector = await openInspector(page, { port: flags.port })
  session.onClose(() => inspector.close())
  held.release(inspector.see)
  await announce(session, inspector.url, linesOf(page))
  session.notices.stay()
  if (flags.open)
    session.onClose(
      openPrivateUrl(session.context, new URL(inspector.url), session.config.dataDir, (reason) =>
        session.notices.notice(`${reason}; open the URL yourself.`),
      ),
    )
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

type PageFlags = Interfaces.InferredFlags<typeof pageFlags>

/** What the page shows, in words. */
function linesOf({ settings, areSeveral, listener }: Awaited<ReturnType<typeof pageAccounts>>): [string, string][] {
  const webhooks: [string, string][] = listener === undefined ? [] : [['Webhooks', listener.url]]
  const names = settings.map((one) => {
    const name = areSeveral ? one.profile : accountLabel(one)
    if (one.environment !== 'production') return name
    return areSeveral ? `${name} (read-only)` : `${name}, read-only`
  })
  return [[areSeveral ? 'Accounts' : 'Account', names.join(', ')], ...webhooks]
}

async function announce(session: Session, url: string, lines: readonly [string, string][]): Promise<void> {
  if (session.output.isJson || !session.output.style.terminal) return session.output.record({ type: 'ready', url })
  await session.output.text(
    card(
      paint(session.output.style, 'green', 'The page is ready.'),
      [['Open', url, 'whole'], ...lines, ['Stop', 'Ctrl-C']],
      session.output.style,
    ),
  )
}
