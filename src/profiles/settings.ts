import { UsageError } from '../contract/index.js'
import { apiKeyFault } from '../shared/pasted-text.js'
import { isLoopback } from '../shared/web-address.js'
import {
  type ChosenAccount,
  chooseAccount,
  given,
  hasOwnKey,
  type SettingsInput,
  type Sourced,
} from './account-choice.js'
import { type Environment, environments, parseEnvironment, stricter } from './environment.js'
import type { Keychain } from './keychain.js'
import { isKnownProductionKey } from './known-keys.js'
import {
  exposureOf,
  type NamedSecret,
  noProfile,
  type ProfileFile,
  profileFilePath,
  readProfiles,
} from './profile-file.js'
import { type ProjectSettings, readProject } from './project-file.js'

/** The account and the output format of a command, and the source of each value. */
export interface Settings {
  /** The profile's name; `none` if `--base-url` or `DLV_BASE_URL` names the account. */
  profile: string
  environment: Environment
  /** Absent for the embedded sandbox. */
  baseUrl?: string
  apiKey?: string
  /** The mark of the account that the profile is used with; `undefined` without a profile, and until its key was asked. */
  account?: string
  /** The mark of the account before the profile's key was replaced. */
  formerAccount?: string
  /** Whether the key is in the keychain and has not been read. */
  isKeyUnread: boolean
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

/** The parts that name an account. */
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

/**
 * An account that is resolved once: its files are read here and never again.
 *
 * `-P` decides all of it. Otherwise variables come first, then the project file, then the current profile. A key goes only
 * to the address that it was given with.
 */
export class ResolvedAccount {
  #settings: Settings
  readonly #account: ChosenAccount
  readonly #input: SettingsInput
  readonly #file: ProfileFile
  #withKey: Promise<Settings> | undefined

  /** Throws `UsageError` for what contradicts itself or does not exist. */
  constructor(input: SettingsInput) {
    this.#input = input
    this.#file = readProfiles(input.configDir)
    const warnings: string[] = []
    const project = readProject(input, (warning) => warnings.push(warning))
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
        return this.#settingsWith(keyOf(found, `profile ${name} (keychain)`), settings.project, [])
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
      return keyOf(stored.apiKey, `profile ${profile.value} (file)`)
    const variable = given(this.#input.env.DLV_API_KEY)
    if (variable === undefined || !hasVariables || stored?.keyIn === 'keychain') return undefined
    return keyOf(variable, 'DLV_API_KEY')
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
      baseUrl: address?.value,
      apiKey: key?.value,
      account: profile?.stored.account,
      formerAccount: profile?.stored.formerAccount,
      isKeyUnread: key === undefined && address !== undefined && profile?.stored.keyIn === 'keychain',
      webhookSecrets: secrets.value,
      output: output?.value,
      project,
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

  /** The source of a key that has not been read yet. */
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

const keyOf = (key: string, source: string): Sourced<string> => ({ value: checkedKey(key, source), source })

async function ownKeychain(env: SettingsInput['env']): Promise<Keychain> {
  const { systemKeychain } = await import('./keychain.js')
  return systemKeychain(process.platform, env)
}

/** An address is not embedded, so its environment is at least `sandbox`. */
const remote = (environment: Environment) => stricter(environment, 'sandbox')

/** The names and environments of the profiles with this base URL, the least restricted first. */
function profilesAt({ profiles }: ProfileFile, baseUrl: string): [string, Environment][] {
  return Object.entries(profiles)
    .filter(([, stored]) => stored.baseUrl === baseUrl)
    .map(([name, { environment }]): [string, Environment] => [name, environment])
    .sort(([, a], [, b]) => environments.indexOf(a) - environments.indexOf(b))
}

function noKeyFor({ source }: Sourced<string>): UsageError {
  return new UsageError(
    `${source} is set without DLV_API_KEY: a stored key is sent only to its own profile's base URL.`,
    { hint: 'Set DLV_API_KEY too, or choose a profile: dlv profiles list' },
  )
}

/**
 * An API key as it was given, if it can be one.
 *
 * @param source what gave it, such as `DLV_API_KEY`, for the error, which never quotes it
 * @throws UsageError for a placeholder, a value in quotes, a variable that was not expanded, and what no header can carry
 */
export function checkedKey(key: string, source: string): string {
  const fault = apiKeyFault(key)
  if (fault === undefined) return key
  throw new UsageError(`The API key of ${source} ${fault.why.replace(/^it /, '')}.`, { hint: fault.hint })
}

/**
 * The signing secrets in `DLV_WEBHOOK_SECRET`, separated by spaces or commas; none if it is not set. What begins like a
 * signature stays one piece, which is no secret.
 */
export function secretsOfVariable(env: SettingsInput['env']): NamedSecret[] {
  const text = given(env.DLV_WEBHOOK_SECRET)
  if (text === undefined) return []
  const secrets = text.match(/(?<![^\s,])v\d+[a-z]*,[^\s,]*|[^\s,]+/gi) ?? ['']
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

/** Whether the key is the profile's: one that is replaced there reaches a command that began with this one. */
export function hasProfileKey({ profile, sources }: Pick<Settings, 'profile' | 'sources'>): boolean {
  return profile !== noProfile && sources.apiKey?.startsWith('profile ') === true
}

/** Whether an account has neither a profile nor a key, so that only its address tells it from others. */
export function isKeyless({ profile, baseUrl, apiKey }: Pick<Settings, 'profile' | 'baseUrl' | 'apiKey'>): boolean {
  return profile === noProfile && baseUrl !== undefined && apiKey === undefined
}
