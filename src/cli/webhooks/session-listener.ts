import type { Listener } from '../../listener/index.js'
import { accountLabel, type NamedSecret, requireTrust } from '../../profiles/index.js'
import { shownUrl } from '../../shared/web-address.js'
import { listeningAccount } from '../accounts/listening-account.js'
import { refuseForeignSecrets, secretKeeper } from '../accounts/secret-owner.js'
import { embeddedControl } from '../sandbox/control.js'
import { accountIdOf } from '../sandbox/control-of.js'
import { registerListener } from '../sandbox/register-listener.js'
import type { Session } from '../session/session.js'
import type { Journals } from './journals.js'
import type { Secrets } from './secrets.js'

/**
 * The account that a listener with these secrets keeps events for: its mark in the journal, and what remembers a secret
 * that has verified one.
 *
 * @throws UsageError if a secret belongs to another account
 */
export async function listenAs(
  session: Session,
  around: { secrets: readonly NamedSecret[]; followed: () => readonly NamedSecret[]; journals: Journals },
) {
  const { secrets, followed, journals } = around
  const { account: own, notices, config } = session
  const { dataDir, configDir } = config
  const settings = await own.settings({ needsKey: false })
  const place = { dataDir, configDir, notices, label: accountLabel(settings), secrets }
  const account = await listeningAccount(() => own.identity(), settings, place)
  own.takeIdentity(account)
  await refuseForeignSecrets(secrets, account, { dataDir, settings })
  const { mark } = await journals.account(await journals.place(), { isWriting: true, account })
  return { mark, keepSecret: secretKeeper(account, followed, dataDir) }
}

/**
 * Registers the listener with the embedded sandbox and sends its webhooks in this process. Does nothing in another
 * profile; returns whether it did.
 */
export async function registerWithSandbox(
  listener: Listener,
  of: { session: Session; mark: string; secrets: readonly NamedSecret[]; secretsOf: Pick<Secrets, 'isOfSandbox'> },
): Promise<boolean> {
  const { session, mark, secrets, secretsOf } = of
  const settings = await session.account.settings({ needsKey: false })
  if (settings.baseUrl !== undefined) return false
  const sandbox = await session.account.sandbox()
  const control = embeddedControl(sandbox)
  const own = secretsOf.isOfSandbox(secrets) ? undefined : secrets
  session.onClose(await registerListener(control, listener, own, await accountIdOf(control, settings), mark))
  sandbox.startOutbox()
  return true
}

/**
 * The routes of the project file, with a notice that names them; none if a flag gives targets.
 *
 * @throws UsageError if nobody has trusted the file
 */
export async function routesOfProject(
  session: Session,
  flag?: string | readonly string[],
): Promise<Readonly<Record<string, string>>> {
  const { project } = await session.account.settings({ needsKey: false })
  if (flag !== undefined || project?.routes === undefined) return {}
  const targets = [...new Set(Object.values(project.routes).map(shownUrl))].join(', ')
  requireTrust(session.config.configDir, project, `forwards webhooks to ${targets}`)
  if (targets !== '') session.notices.notice(`Forwarding to ${targets}, as ${project.file} says.`)
  return project.routes
}
