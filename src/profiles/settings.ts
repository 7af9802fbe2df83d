import { isLoopback, UsageError } from '../contract/index.js'
import { parseBaseAddress } from './base-address.js'
import { type Environment, environments, parseEnvironment, stricter } from './environment.js'
import { exposureOf } from './file-access.js'
import type { Keychain } from './keychain.js'
import { isKnownProductionKey } from './known-keys.js'
import {
  type NamedSecret,
  noProfile,
  type Profile,
  type ProfileFile,
  profileFilePath,
  profileNamed,
  readProfiles,
} from './profile-file.js'
import { type ProjectSettings, readProjectFile } from './project-file.js'
import { requireTrust } from './trust.js'

/** The account and the output format of a command, and the source of each value. */
export interface Settings {
  /** The profile's name; `none` if `--base-url` or `DLV_BASE_URL` names the account. */
  profile: string
  environment: Environment
  /** Absent for the embedded sandbox. */
  baseUrl?: string
  apiKey?: string
  webhookSecrets: NamedSecret[]
  output?: string
  /** The project file of the directory, which may not be trusted yet. */
  project?: ProjectSettings
  /** The source of each value, such as `flag --base-url`, `DLV_API_KEY`, `profile acme (keychain)` or `default`. */
  sources: Record<string, string>
  /** Notices to print once. */
  notices: string[]
  /** Warnings to act on, such as a file with keys that others can read. */
  warnings: string[]
}

export interface SettingsInput {
  flags: { profile?: string | undefined; baseUrl?: string | undefined; output?: string | undefined }
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  configDir: string
  /** Default: the system's keychain. */
  keychain?: Keychain
}

/** What an account is named by. */
export interface NamedAccount {
  profile: string
  baseUrl?: string | undefined
}

/** The account in a sentence: `profile acme`, or the base URL if there is no profile. */
export function accountName({ profile, baseUrl }: NamedAccount): string {
  return profile === noProfile && baseUrl !== undefined ? baseUrl : `profile ${profile}`
}

/** The account in few words: the profile's name, or the host if there is no profile. */
export function accountLabel({ profile, baseUrl }: NamedAccount): string {
  return profile === noProfile && baseUrl !== undefined ? new URL(baseUrl).host : profile
}

interface Sourced<Value> {
  value: Value
  source: string
}

/** Where an account comes from, before its key and its environment are known. */
interface Account {
  /** `undefined` if a flag or variable gives the base URL. */
  profile?: Sourced<string> & { stored: Profile; isFlag: boolean }
  address?: Sourced<string>
  /** Whether `DLV_API_KEY` and `DLV_WEBHOOK_SECRET` belong to this account. */
  hasVariables: boolean
  notices: string[]
}

/** A value, unless it is missing or blank. */
export const given = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : text.trim()

/**
 * An account that is resolved once: its files are read here and never again.
 *
 * `-P` decides all of it. Otherwise variables come first, then the project file, then the current profile. A key goes only
 * to the address that it was given with.
 */
export class ResolvedAccount {
  #settings: Settings
  readonly #account: Account
  readonly #input: SettingsInput
  readonly #file: ProfileFile
  #withKey: Promise<Settings> | undefined

  /** Throws `UsageError` for what contradicts itself or does not exist. */
  constructor(input: SettingsInput) {
    this.#input = input
    this.#file = readProfiles(input.configDir)
    const warnings: string[] = []
    const project = readProjectFile(input.cwd, (warning) => warnings.push(warning))
    const exposure = exposureOf(profileFilePath(input.configDir))
    if (exposure !== undefined) warnings.push(exposure)
    this.#account = chooseAccount(input, project, this.#file)
    this.#settings = this.#settingsWith(this.#keyAtHand(), project, warnings)
  }

  /** The account as far as it is known without the keychain; a key may be missing. */
  get settings(): Settings {
    return this.#settings
  }

  /** Looks again whether the key is recorded as a production key; the account stays the same. */
  recheck(): void {
    const { project, warnings } = this.#settings
    this.#settings = this.#settingsWith(this.#keyAtHand(), project, warnings)
    this.#withKey = undefined
  }

  /**
   * The account with its key, which may come from the keychain.
   *
   * @throws UsageError if there is none, or if the key and the address come from two sources
   */
  withKey(): Promise<Settings> {
    this.#withKey ??= this.#completeKey()
    return this.#withKey
  }

  async #completeKey(): Promise<Settings> {
    const { settings } = this
    const { profile, address } = this.#account
    if (address === undefined) return settings
    if (profile === undefined) {
      if (settings.apiKey !== undefined) return settings
      throw noKeyFor(address)
    }
    const { value: name, stored, isFlag } = profile
    const variable = given(this.#input.env.DLV_API_KEY)
    if (variable !== undefined && !isFlag && hasOwnKey(stored) && variable !== stored.apiKey)
      throw new UsageError(
        `The base URL is that of profile "${name}" (from ${profile.source}), but the key is that of DLV_API_KEY; a key goes only to the address that it was given with.`,
        { hint: `Unset DLV_API_KEY, set DLV_BASE_URL with it, or name the profile: -P ${name}` },
      )
    if (settings.apiKey !== undefined) return settings
    const add = `dlv profiles add ${name} --api-key-stdin`
    if (stored.keyIn === 'keychain') {
      const keychain = this.#input.keychain ?? (await ownKeychain(this.#input.env))
      const found = await keychain.find(name)
      if (found !== undefined)
        return this.#settingsWith({ value: found, source: `profile ${name} (keychain)` }, settings.project, [])
      throw new UsageError(`The system's keychain has no key for profile "${name}", or is locked.`, {
        hint: `Unlock it, or store the key again: ${add}`,
      })
    }
    if (variable !== undefined)
      throw new UsageError(`Profile "${name}" has no key, and DLV_API_KEY was given with DLV_BASE_URL.`, {
        hint: `Store its key: ${add}`,
      })
    throw new UsageError(`Profile "${name}" has no key.`, { hint: `Set DLV_API_KEY, or store one: ${add}` })
  }

  /** The key, unless it is in the keychain or missing. */
  #keyAtHand(): Sourced<string> | undefined {
    const { profile, hasVariables } = this.#account
    const stored = profile?.stored
    if (profile !== undefined && stored?.apiKey !== undefined)
      return { value: stored.apiKey, source: `profile ${profile.value} (file)` }
    const variable = given(this.#input.env.DLV_API_KEY)
    if (variable === undefined || !hasVariables || stored?.keyIn === 'keychain') return undefined
    return { value: checkedKey(variable), source: 'DLV_API_KEY' }
  }

  #settingsWith(key: Sourced<string> | undefined, project: ProjectSettings | undefined, warnings: string[]): Settings {
    const { profile, address, notices } = this.#account
    const environment = this.#environment(key)
    if (environment.value !== 'local' && address === undefined)
      throw new UsageError(`Profile "${profile?.value}" has no base URL.`, {
        hint: `dlv profiles add ${profile?.value} --environment ${environment.value} --base-url https://…/delivery/v1`,
      })
    const secrets = this.#webhookSecrets()
    const output = outputOf(this.#input, project)
    return {
      profile: profile?.value ?? noProfile,
      environment: environment.value,
      ...(address === undefined ? {} : { baseUrl: address.value }),
      ...(key === undefined ? {} : { apiKey: key.value }),
      webhookSecrets: secrets.value,
      ...(output === undefined ? {} : { output: output.value }),
      ...(project === undefined ? {} : { project }),
      sources: {
        profile: profile?.source ?? noProfile,
        environment: environment.source,
        baseUrl: address?.source ?? 'embedded sandbox',
        apiKey: key?.source ?? this.#keySource(),
        webhookSecrets: secrets.source,
        output: output?.source ?? 'default',
      },
      notices: [...notices, ...(environment.notice === undefined ? [] : [environment.notice])],
      warnings,
    }
  }

  /** Where a key would come from that is not known yet. */
  #keySource(): string {
    const { profile, address } = this.#account
    if (address === undefined) return 'embedded sandbox'
    return profile?.stored.keyIn === 'keychain' ? `profile ${profile.value} (keychain)` : 'none'
  }

  /** The environment of the account; a production key makes it production, whatever label it has. */
  #environment(key: Sourced<string> | undefined): Sourced<Environment> & { notice?: string } {
    const { address } = this.#account
    const labelled = this.#labelledEnvironment()
    const isChecked = address === undefined || key === undefined || labelled.value === 'production'
    if (isChecked || !isKnownProductionKey(this.#input.configDir, key.value)) return labelled
    const from = key.source === 'DLV_API_KEY' ? 'The key of DLV_API_KEY' : `The key of ${key.source}`
    return {
      value: 'production',
      source: 'the key',
      notice: `${from} is a production key, so this is production, not ${labelled.value}.`,
    }
  }

  #labelledEnvironment(): Sourced<Environment> & { notice?: string } {
    const { profile, address } = this.#account
    const variable = given(this.#input.env.DLV_ENVIRONMENT)
    const asked = variable === undefined ? undefined : parseEnvironment(variable, 'DLV_ENVIRONMENT')
    if (profile !== undefined) {
      const isHere = address === undefined || isLoopback(new URL(address.value).hostname)
      const environment = isHere ? profile.stored.environment : remote(profile.stored.environment)
      const source = profile.source === 'default' ? 'default' : `profile ${profile.value}`
      if (asked === undefined || profile.isFlag || stricter(asked, environment) === environment)
        return { value: environment, source }
      return { value: asked, source: 'DLV_ENVIRONMENT' }
    }
    const url = address?.value ?? ''
    const known = profilesAt(this.#file, url)
    const [laxest, strictest] = [known[0], known.at(-1)]
    if (asked !== undefined) {
      const value = laxest === undefined ? asked : stricter(asked, laxest[1])
      return { value: remote(value), source: value === asked ? 'DLV_ENVIRONMENT' : `profile ${laxest?.[0]}` }
    }
    if (strictest !== undefined) return { value: remote(strictest[1]), source: `profile ${strictest[0]}` }
    if (isLoopback(new URL(url).hostname)) return { value: 'sandbox', source: 'loopback address' }
    return {
      value: 'production',
      source: 'default of an unknown address',
      notice: `${new URL(url).host} is treated as production; if it is a sandbox, set DLV_ENVIRONMENT=sandbox.`,
    }
  }

  #webhookSecrets(): Sourced<NamedSecret[]> {
    const { profile, hasVariables } = this.#account
    const stored = profile?.stored.webhookSecrets ?? []
    const fromVariable = hasVariables ? secretsOfVariable(this.#input.env) : []
    const own = { value: stored, source: stored.length > 0 ? `profile ${profile?.value}` : 'none' }
    const isOwn = fromVariable.length === 0 || (profile?.isFlag === true && stored.length > 0)
    return isOwn ? own : { value: fromVariable, source: 'DLV_WEBHOOK_SECRET' }
  }
}

async function ownKeychain(env: SettingsInput['env']): Promise<Keychain> {
  const { systemKeychain } = await import('./keychain.js')
  return systemKeychain(process.platform, env)
}

/** An address is not embedded, so its environment is at least `sandbox`. */
const remote = (environment: Environment) => stricter(environment, 'sandbox')

const hasOwnKey = ({ apiKey, keyIn }: Profile) => apiKey !== undefined || keyIn === 'keychain'

/** The names and environments of the profiles with this base URL, the least restricted first. */
function profilesAt({ profiles }: ProfileFile, baseUrl: string): [string, Environment][] {
  return Object.entries(profiles)
    .filter(([, stored]) => stored.baseUrl === baseUrl)
    .map(([name, { environment }]): [string, Environment] => [name, environment])
    .sort(([, a], [, b]) => environments.indexOf(a) - environments.indexOf(b))
}

/** Who decides the account: `-P`, `--base-url`, `DLV_PROFILE` or `DLV_BASE_URL`, the project file, the current profile. */
function chooseAccount(input: SettingsInput, project: ProjectSettings | undefined, file: ProfileFile): Account {
  const { env, flags } = input
  const [named, url] = [given(flags.profile), given(flags.baseUrl)]
  const [variableProfile, variableUrl] = [given(env.DLV_PROFILE), given(env.DLV_BASE_URL)]
  if (named !== undefined) return byFlag(named, url, input, file)
  if (url !== undefined) return atFlagUrl(url, input, project, file)
  if (variableUrl !== undefined) {
    if (variableProfile !== undefined)
      throw new UsageError(
        `DLV_PROFILE (${variableProfile.slice(0, 80)}) and DLV_BASE_URL (${parseBaseAddress(variableUrl, 'DLV_BASE_URL').baseUrl}) name two accounts.`,
        { hint: 'Unset one of the two, or name a profile with -P.' },
      )
    const { baseUrl, notices } = parseBaseAddress(variableUrl, 'DLV_BASE_URL')
    return { address: { value: baseUrl, source: 'DLV_BASE_URL' }, hasVariables: true, notices }
  }
  const chosen = usualProfile(input, project, file)
  return { ...profileAccount(chosen, file, false), hasVariables: true, notices: chosenBy(chosen, project) }
}

/** `-P` decides everything; what the environment says of another account is ignored, with a notice. */
function byFlag(name: string, url: string | undefined, { env }: SettingsInput, file: ProfileFile): Account {
  const account = profileAccount({ value: name, source: 'flag --profile' }, file, true)
  const { address } = account
  const { stored } = account.profile
  if (url !== undefined) {
    const { baseUrl } = parseBaseAddress(url, '--base-url')
    if (baseUrl !== address?.value)
      throw new UsageError(
        `--base-url (${baseUrl}) is not the base URL of profile "${name}" (${address?.value ?? 'the embedded sandbox'}).`,
        { hint: 'Leave one of the two out.' },
      )
  }
  const variableUrl = given(env.DLV_BASE_URL)
  const isOther = variableUrl !== undefined && !isSameAddress(variableUrl, address?.value)
  const hasVariables = address !== undefined && !isOther
  const isLost: Record<string, (value: string) => boolean> = {
    DLV_PROFILE: (value) => value !== name,
    DLV_BASE_URL: () => isOther,
    DLV_API_KEY: (value) => value !== stored.apiKey && (hasOwnKey(stored) || !hasVariables),
    DLV_ENVIRONMENT: (value) => value !== stored.environment,
    DLV_WEBHOOK_SECRET: () => stored.webhookSecrets.length > 0 || !hasVariables,
  }
  const lost = Object.keys(isLost).filter((variable) => {
    const value = given(env[variable])
    return value !== undefined && isLost[variable]?.(value)
  })
  const notices = lost.length === 0 ? [] : [`-P ${name} decides the account; ${listed(lost)} ignored.`]
  return { ...account, hasVariables, notices }
}

function isSameAddress(text: string, baseUrl: string | undefined): boolean {
  try {
    return parseBaseAddress(text, '').baseUrl === baseUrl
  } catch {
    return false
  }
}

function listed(names: readonly string[]): string {
  if (names.length === 1) return `${names[0]} is`
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)} are`
}

/**
 * `--base-url` takes the key of `DLV_API_KEY`, unless that was given with another address: the one of `DLV_BASE_URL`, or
 * of the profile that would be used and has no key of its own.
 */
function atFlagUrl(
  url: string,
  input: SettingsInput,
  project: ProjectSettings | undefined,
  file: ProfileFile,
): Account {
  const { env } = input
  const { baseUrl, notices } = parseBaseAddress(url, '--base-url')
  const lost = ['DLV_PROFILE', 'DLV_BASE_URL'].filter((variable) => given(env[variable]) !== undefined)
  const account: Account = { address: { value: baseUrl, source: '--base-url' }, hasVariables: true, notices }
  if (given(env.DLV_API_KEY) !== undefined) {
    const owner = keyOwner(input, project, file)
    if (owner !== undefined && owner.value !== baseUrl)
      throw new UsageError(
        `--base-url names ${baseUrl}, but DLV_API_KEY was given with ${owner.value} (${owner.source}); a key goes only to the address that it was given with.`,
        { hint: 'Set DLV_BASE_URL and DLV_API_KEY together, or add a profile: dlv profiles add NAME' },
      )
  }
  if (lost.length > 0) notices.push(`--base-url decides the account; ${listed(lost)} ignored.`)
  return account
}

/** The address that `DLV_API_KEY` was given with, if it is known. */
function keyOwner(
  input: SettingsInput,
  project: ProjectSettings | undefined,
  file: ProfileFile,
): Sourced<string> | undefined {
  const variableUrl = given(input.env.DLV_BASE_URL)
  if (variableUrl !== undefined)
    return { value: parseBaseAddress(variableUrl, 'DLV_BASE_URL').baseUrl, source: 'DLV_BASE_URL' }
  const name = given(input.env.DLV_PROFILE) ?? project?.profile ?? file.current ?? undefined
  const stored = name === undefined ? undefined : profileNamed(file, name)
  if (stored?.baseUrl === undefined || hasOwnKey(stored)) return undefined
  return { value: stored.baseUrl, source: `profile ${name}` }
}

/** The profile without a flag. A project file that chooses it has to be trusted. */
function usualProfile(input: SettingsInput, project: ProjectSettings | undefined, file: ProfileFile): Sourced<string> {
  const variable = given(input.env.DLV_PROFILE)
  if (variable !== undefined) return { value: variable, source: 'DLV_PROFILE' }
  if (project?.profile !== undefined) {
    requireTrust(input.configDir, project, `chooses the profile "${project.profile.slice(0, 80)}"`)
    return { value: project.profile, source: project.file }
  }
  if (typeof file.current === 'string') return { value: file.current, source: 'profiles use' }
  if (file.current === null) throw noneSelected(file)
  return { value: 'local', source: 'default' }
}

function chosenBy({ value, source }: Sourced<string>, project: ProjectSettings | undefined): string[] {
  return source === project?.file ? [`Profile ${value}, chosen by ${source}.`] : []
}

/** The current profile was removed: falling back to the embedded sandbox would look like success. */
function noneSelected({ profiles }: ProfileFile): UsageError {
  const names = [...new Set([...Object.keys(profiles), 'local'])]
  return new UsageError('No profile is selected: the current one was removed.', {
    hint: `Select one with dlv profiles use NAME: ${names.join(', ')}${'local' in profiles ? '' : ' (the embedded sandbox)'}.`,
  })
}

function profileAccount(named: Sourced<string>, file: ProfileFile, isFlag: boolean) {
  const stored = storedProfile(named, file)
  const profile = { ...named, stored, isFlag }
  if (stored.baseUrl === undefined) return { profile }
  const value = parseBaseAddress(stored.baseUrl, `Profile "${named.value}"`).baseUrl
  return { profile, address: { value, source: `profile ${named.value}` } }
}

function storedProfile(named: Sourced<string>, file: ProfileFile): Profile {
  const stored = profileNamed(file, named.value)
  if (stored !== undefined) return stored
  if (named.value === 'local') return { environment: 'local', webhookSecrets: [] }
  const names = ['local', ...Object.keys(file.profiles)]
  throw new UsageError(`Profile "${named.value.slice(0, 80)}" (from ${named.source}) not found.`, {
    hint: `Choose one of ${[...new Set(names)].join(', ')}, or add it: dlv profiles add ${named.value.slice(0, 80)}`,
  })
}

function noKeyFor({ source }: Sourced<string>): UsageError {
  return new UsageError(
    `${source} is set without DLV_API_KEY: a stored key is sent only to its own profile's base URL.`,
    { hint: 'Set DLV_API_KEY too, or choose a profile: dlv profiles list' },
  )
}

/** A key is sent in a header, so anything but visible ASCII was copied incorrectly. Throws `UsageError`. */
export function checkedKey(key: string): string {
  if (/^[\u0021-\u007e]{1,4096}$/.test(key)) return key
  throw new UsageError('The API key contains spaces, line breaks or non-ASCII characters.', { hint: 'Copy it again.' })
}

/** The signing secrets in `DLV_WEBHOOK_SECRET`, separated by spaces or commas; none if it is not set. */
export function secretsOfVariable(env: SettingsInput['env']): NamedSecret[] {
  const secrets = (env.DLV_WEBHOOK_SECRET ?? '').split(/[\s,]+/).filter((secret) => secret !== '')
  const nameOf = (index: number) => (secrets.length === 1 ? 'DLV_WEBHOOK_SECRET' : `DLV_WEBHOOK_SECRET ${index + 1}`)
  return secrets.map((secret, index) => ({ name: nameOf(index), secret }))
}

function outputOf(input: SettingsInput, project: ProjectSettings | undefined): Sourced<string> | undefined {
  const flag = given(input.flags.output)
  if (flag !== undefined) return { value: flag, source: 'flag' }
  const variable = given(input.env.DLV_OUTPUT)
  if (variable !== undefined) return { value: variable, source: 'DLV_OUTPUT' }
  return project?.output === undefined ? undefined : { value: project.output, source: project.file }
}
