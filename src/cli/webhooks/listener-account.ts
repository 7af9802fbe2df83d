import { ApiError } from '../../contract/index.js'
import type { Listener } from '../../listener/index.js'
import { accountLabel, type NamedSecret, requireTrust } from '../../profiles/index.js'
import { shownUrl } from '../../shared/web-address.js'
import { listeningAccount, refuseForeignSecrets, secretKeeper } from '../accounts/secret-owner.js'
import { accountIdOf, embeddedControl, type SandboxControl } from '../sandbox/control.js'
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

/** The cursor of the journal that records the registration, so that one left behind by a crash can be removed. */
const noteOf = (mark: string) => `sandbox-endpoint-${mark}`

/**
 * Registers a listener as an endpoint for an account's webhooks, the default account's unless `account` names another.
 * `mark` is what the listener keeps its events under. Without `secrets` they are signed with those of the account, also after a rotation. The returned function removes the
 * registration.
 */
async function registerListener(
  control: SandboxControl,
  listener: Listener,
  secrets: readonly NamedSecret[] | undefined,
  account: string | undefined,
  mark: string,
): Promise<() => Promise<void>> {
  const note = noteOf(mark)
  const leftBehind = await listener.cursor(note, mark)
  const registration = {
    url: listener.url,
    kind: 'all',
    secrets: secrets?.map(({ secret }) => secret),
    allowWeakSecrets: secrets?.some(({ allowWeak }) => allowWeak),
    account,
  }
  const { id } = (await control('POST', '/endpoints', registration)) as { id: string }
  if (leftBehind !== undefined && leftBehind !== id) await remove(control, leftBehind)
  await listener.setCursor(note, id, false, mark)
  return () => remove(control, id)
}

async function remove(control: SandboxControl, id: string): Promise<void> {
  try {
    await control('DELETE', `/endpoints/${encodeURIComponent(id)}`)
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return // reset or removed by hand since
    throw error
  }
}
