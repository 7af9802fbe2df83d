import { Flags, type Interfaces } from '@oclif/core'
import type { ClientOptions } from '../../client/index.js'
import { ApiError, DlvError, UsageError } from '../../contract/index.js'
import {
  changeProfiles,
  checkProfileName,
  type Environment,
  environments,
  isLiveKey,
  type NamedSecret,
  type Profile,
  parseBaseAddress,
  parseEnvironment,
  profileFilePath,
  profileNamed,
  ResolvedAccount,
  rememberProductionKey,
  systemKeychain,
} from '../../profiles/index.js'
import { type ProfileRow, profileView } from '../../render/profile-view.js'
import { isLoopback } from '../../shared/web-address.js'
import type { Decision } from '../accounts/same-or-new-account.js'
import { repeatable } from '../command/write-flags.js'
import { askText } from '../input/prompt.js'
import { allowWeakSecretFlag, checkSecrets, readApiKey, readSecretFiles } from '../input/secrets.js'
import { accountKind, kindByEvents } from '../session/account-kind.js'
import type { Session } from '../session/session.js'
import { profileRow, profilesOf, warnIfExposed, warnOfShared, withSecrets } from './stored-secrets.js'

/** Flags of `profiles add`. */
export const addFlags = {
  environment: Flags.string({
    char: 'e',
    summary: `Environment: ${environments.join(', ')}`,
    helpValue: 'ENVIRONMENT',
  }),
  'api-key-stdin': Flags.boolean({ summary: 'Read the key from standard input' }),
  'api-key-file': Flags.string({
    summary: 'Read the key from a file',
    helpValue: 'FILE',
    exclusive: ['api-key-stdin'],
  }),
  'webhook-secret-file': Flags.string({
    summary: 'File with a signing secret to add; repeatable',
    helpValue: 'FILE',
    ...repeatable,
  }),
  ...allowWeakSecretFlag,
  'no-api-key': Flags.boolean({
    summary: 'Save no key; DLV_API_KEY gives it',
    exclusive: ['api-key-stdin', 'api-key-file'],
  }),
  'no-keychain': Flags.boolean({ summary: 'Save the key in the config file (0600)' }),
  use: Flags.boolean({ summary: 'Make it the current profile' }),
  'same-account': Flags.boolean({ summary: 'The key is of the account used under this name before' }),
  'new-account': Flags.boolean({
    summary: 'The key is of a new account, which begins empty',
    exclusive: ['same-account'],
  }),
}

type AddFlags = Interfaces.InferredFlags<typeof addFlags> & Session['flags']

/** `profiles add`: read what is given, ask for the rest, try the key, keep it, and settle whose it is. */
export async function addProfile(session: Session, name: string, flags: AddFlags): Promise<ProfileRow> {
  checkProfileName(name)
  const before = profileNamed(profilesOf(session), name)
  const keyFlag = flags['api-key-stdin'] || flags['api-key-file'] !== undefined
  let key = keyFlag ? await readApiKey(session.context, flags) : undefined
  const asked = await environment(session, name, flags, before, key)
  const profile: Profile = { ...before, environment: asked, webhookSecrets: before?.webhookSecrets ?? [] }
  const warn = (text: string) => session.notices.warn(text)
  const reading = { flag: '--webhook-secret-file', allowWeak: flags['allow-weak-secret'] }
  const secrets = await readSecretFiles(session.context, flags['webhook-secret-file'] ?? [], warn, reading)
  checkSecrets(secrets, warn)
  if (flags['api-key-file'] !== undefined) warnIfExposed(session, flags['api-key-file'])
  if (asked !== 'local' || flags['base-url'] !== undefined || key !== undefined) {
    profile.baseUrl = await address(session, before, flags)
    // A stored key belongs to its URL: a new URL needs the key again.
    const isKeyKept = before?.keyIn !== undefined && before.baseUrl === profile.baseUrl
    if (flags['no-api-key']) await dropKey(session, profile, name)
    else if (!isKeyKept) key ??= await readApiKey(session.context, flags)
  }
  if (
    profile.environment === 'local' &&
    profile.baseUrl !== undefined &&
    !isLoopback(new URL(profile.baseUrl).hostname)
  )
    throw new UsageError(`${profile.baseUrl} is not on this machine, so its environment cannot be local.`, {
      hint: 'Use --environment sandbox or production.',
    })
  const check =
    key === undefined || profile.baseUrl === undefined ? undefined : await tryKey(session, profile.baseUrl, key, asked)
  if (key !== undefined) {
    if (check?.isLive) rememberProductionKey(session.config.configDir, key, check.sign)
    profile.environment = environmentOfKey(session, key, asked, check?.isLive === true)
    await keepKey(session, profile, name, key, flags['no-keychain'])
  }
  if (key !== undefined && profile.account !== undefined) {
    profile.formerAccount = profile.account
    delete profile.account
  }
  const row = await save(session, name, profile, secrets, flags.use)
  await settleAccount(session, name, key !== undefined, decisionOf(flags))
  warnOfShared(session, name, secrets)
  if (key !== undefined && profile.keyIn === 'file') {
    const why = flags['no-keychain'] ? '' : '; no keychain available'
    session.notices.notice(`Key saved in ${profileFilePath(session.config.configDir)} (0600${why}).`)
  }
  await session.show(profileView, row)
  if (check?.works) session.notices.notice(check.text)
  else if (check !== undefined) {
    session.notices.warn(check.text)
    session.notices.notice(`The profile is saved. Test it again with dlv doctor -P ${name}.`)
  }
  return row
}

/** The value that was given or is known; prompts a person, and requires the flag in a script. */
async function environment(
  session: Session,
  name: string,
  flags: { environment?: string | undefined; 'no-input': boolean },
  before: Profile | undefined,
  key: string | undefined,
): Promise<Environment> {
  if (flags.environment !== undefined) return parseEnvironment(flags.environment, '--environment')
  if (before !== undefined) return before.environment
  if (name === 'local') return 'local'
  if (key !== undefined && isLiveKey(key)) return 'production'
  const text = `Environment (${environments.join(', ')}):`
  const answer = await askText(session.context, { text, flag: '--environment', noInput: flags['no-input'] })
  return parseEnvironment(answer, 'The environment')
}

/** Production for a production key, with a notice; otherwise the requested one. */
function environmentOfKey(session: Session, key: string, asked: Environment, isLive: boolean): Environment {
  if (!isLive && !isLiveKey(key)) return asked
  const why = isLiveKey(key) ? 'starts with dlvk_live_' : 'is a live one (the service answered SANDBOX_ONLY)'
  const instead = asked === 'production' ? '' : `, not ${asked}`
  if (isLiveKey(key) || asked !== 'production')
    session.notices.notice(`The key ${why}, so the profile is production${instead}.`)
  return 'production'
}

async function address(
  session: Session,
  before: Profile | undefined,
  flags: { 'base-url'?: string | undefined; 'no-input': boolean },
): Promise<string> {
  const given = flags['base-url'] ?? before?.baseUrl
  const address =
    given ?? (await askText(session.context, { text: 'Base URL:', flag: '--base-url', noInput: flags['no-input'] }))
  const { baseUrl, notices } = parseBaseAddress(address, '--base-url')
  for (const notice of notices) session.notices.notice(notice)
  return baseUrl
}

/** Writes the profile with the secrets added to its own. The first profile becomes the current one, with a notice. */
async function save(
  session: Session,
  name: string,
  profile: Profile,
  secrets: NamedSecret[],
  use: boolean,
): Promise<ProfileRow> {
  const { configDir } = session.config
  const { current } = await changeProfiles(configDir, (file) => {
    const isFirst = file.current === undefined && name !== 'local'
    profile.webhookSecrets = withSecrets(profileNamed(file, name)?.webhookSecrets ?? [], secrets, session.nowMs())
    const profiles = { ...file.profiles, [name]: profile }
    return use || isFirst ? { current: name, profiles } : { ...file, profiles }
  })
  if (current === name) session.notices.notice(`${name} is the current profile.`)
  else session.notices.notice(`Use it with -P ${name}, or make it the current profile: dlv profiles use ${name}`)
  return profileRow(name, profile, current)
}

/** Asks a new key whose it is, or takes the user's word for it, so that commands which need no key know the account. */
async function settleAccount(
  session: Session,
  name: string,
  isNewKey: boolean,
  decision: Decision | undefined,
): Promise<void> {
  if (!isNewKey && decision === undefined) return
  const account = new ResolvedAccount({
    ...session.account.accountInput(),
    flags: { profile: name, output: undefined },
  })
  const settings = await account.withKey()
  const { apiKey, baseUrl } = settings
  if (baseUrl === undefined || apiKey === undefined) return
  const { decideAccount, isUndecided } = await import('../accounts/same-or-new-account.js')
  const { dataDir, configDir } = session.config
  if (decision !== undefined) {
    await decideAccount({ ...settings, apiKey }, decision, { dataDir, configDir, nowMs: session.context.nowMs })
    return
  }
  await session.account.identityOf(settings).catch((error: unknown) => {
    if (!isUndecided(error)) throw error
    session.notices.warn(error.message)
  })
}

function tryKey(session: Session, baseUrl: string, apiKey: string, environment: Environment): Promise<KeyCheck> {
  const options = { baseUrl, apiKey, userAgent: session.config.userAgent, ...session.timeLimits() }
  return checkKey(options, environment === 'production' || isLiveKey(apiKey))
}

async function dropKey(session: Session, profile: Profile, name: string): Promise<void> {
  if (profile.keyIn === 'keychain') await systemKeychain(process.platform, session.context.env).remove(name)
  delete profile.keyIn
  delete profile.apiKey
}

/** Stores the key in the keychain or, if there is none, in the profile; an old one is removed from both. */
async function keepKey(
  session: Session,
  profile: Profile,
  name: string,
  key: string,
  noKeychain: boolean,
): Promise<void> {
  const keychain = systemKeychain(process.platform, session.context.env)
  const isKept = !noKeychain && (await keychain.store(name, key))
  if (!isKept && profile.keyIn === 'keychain') await keychain.remove(name)
  profile.keyIn = isKept ? 'keychain' : 'file'
  if (isKept) delete profile.apiKey
  else profile.apiKey = key
}

function decisionOf(flags: { 'same-account': boolean; 'new-account': boolean }): Decision | undefined {
  return flags['same-account'] ? 'same' : flags['new-account'] ? 'new' : undefined
}

/** The service's response to a key; `text` is a sentence or two for people. */
interface KeyCheck {
  works: boolean
  /** The service treats it as a live key, whatever its prefix is. */
  isLive: boolean
  /** What would show that. */
  sign: 'SANDBOX_ONLY' | 'livemode'
  text: string
}

const limitMs = 10_000

/**
 * Tests a key with one `GET /capabilities`, and whether it is a live one, without retries. Of what is to be a production
 * account it only reads. Never throws for an error of the service or the network.
 */
async function checkKey(
  options: Pick<ClientOptions, 'baseUrl' | 'userAgent'> & { apiKey: string },
  isProduction: boolean,
): Promise<KeyCheck> {
  const { createClient } = await import('../../client/index.js')
  const sign = isProduction ? 'livemode' : 'SANDBOX_ONLY'
  const client = createClient({ timeoutMs: limitMs, maxWaitMs: 1, retries: { maxRetries: 0 }, ...options })
  try {
    const { accountType, capabilities } = await client.getCapabilities()
    const rate = capabilities.maxRequestsPerSecond
    // That it works is known, even if this question is not answered.
    const asked = isProduction ? kindByEvents(client) : accountKind(client)
    const { kind } = await asked.catch(() => ({ kind: 'unknown' }))
    const isTest = isProduction && kind === 'test'
    return {
      works: true,
      isLive: kind === 'live',
      sign,
      text: `The key works: ${accountType} account${rate == null ? '' : `, ${rate} requests/s`}.${isTest ? ' Its events are those of a test account.' : ''}`,
    }
  } catch (error) {
    if (!(error instanceof DlvError)) throw error
    return { works: false, isLive: false, sign, text: failureText(error) }
  } finally {
    await client.close()
  }
}

function failureText(error: DlvError): string {
  if (error instanceof ApiError && (error.status === 401 || error.status === 403))
    return `The service refused the key (${error.code}, HTTP ${error.status}).`
  return `Cannot test the key: ${error.message.replace(/\.$/, '')}.`
}
