import { UsageError } from '../../contract/index.js'
import { changeProfiles, checkProfileName, type Profile, profileNamed, ResolvedAccount } from '../../profiles/index.js'
import { profilesOf } from '../profiles/stored-secrets.js'
import { embeddedFile } from '../session/embedded-sandbox.js'
import type { Session } from '../session/session.js'
import type { SandboxAccount, SandboxControl } from './control.js'

/** An account that was just added, with the secret that its webhooks are signed with. */
export interface AddedSandboxAccount extends SandboxAccount {
  webhookSecret: string
}

/**
 * Takes `--profile` as the name to save under: the sandbox is then the one that is used without it, or the embedded one
 * if that is none of this user's.
 *
 * @throws UsageError if there is a profile of this name
 */
export async function profileToKeep(session: Session): Promise<string | undefined> {
  const { profile: name } = session.flags
  if (name === undefined) return undefined
  checkProfileName(name)
  if (name === 'local' || profileNamed(profilesOf(session), name) !== undefined)
    throw new UsageError(`There is a profile "${name}" already. Nothing was added.`, {
      hint: 'Save under another name, or remove it first: dlv profiles remove NAME',
    })
  session.flags = { ...session.flags, profile: undefined }
  const { env } = session.context
  const isNamed = [session.flags['base-url'], env.DLV_PROFILE, env.DLV_BASE_URL].some((one) => one?.trim())
  if (isNamed) return name
  const { settings } = new ResolvedAccount(session.account.accountInput())
  if (!(await session.account.isOwnSandbox(settings))) session.flags = { ...session.flags, profile: 'local' }
  return name
}

/**
 * Saves the key of an account in a profile. An account of the embedded sandbox is used in this process, whether the sandbox is
 * served or not, and its secrets are those that the sandbox signs with by then.
 */
export async function keepAccountProfile(
  session: Session,
  name: string,
  { apiKey, webhookSecret }: AddedSandboxAccount,
  control: SandboxControl,
): Promise<void> {
  const { baseUrl } = await session.account.settings({ needsKey: false })
  const { data } = (await control('GET', '/status')) as { data: string }
  const isEmbedded = baseUrl === undefined || data === embeddedFile(session.config.dataDir)
  const profile: Profile = isEmbedded
    ? { environment: 'local', keyIn: 'file', apiKey, webhookSecrets: [] }
    : {
        environment: 'sandbox',
        baseUrl,
        keyIn: 'file',
        apiKey,
        webhookSecrets: [{ name: 'sandbox', secret: webhookSecret, addedAt: new Date(session.nowMs()).toISOString() }],
      }
  await changeProfiles(session.config.configDir, (file) => ({
    ...file,
    profiles: { ...file.profiles, [name]: profile },
  }))
}

/** The profiles that have this key: they lead to nothing once its account is removed. */
export function profilesWithKey(session: Session, apiKey: string): string[] {
  return Object.entries(profilesOf(session).profiles)
    .filter(([, profile]) => profile.apiKey === apiKey)
    .map(([name]) => name)
}
