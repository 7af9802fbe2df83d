import { UsageError } from '../contract/index.js'
import { parseBaseAddress } from './base-address.js'
import { type Environment, parseEnvironment, stricter } from './environment.js'
import { exposureOf } from './file-access.js'
import { type Keychain, systemKeychain } from './keychain.js'
import {
  type NamedSecret,
  type Profile,
  type ProfileFile,
  profileFilePath,
  profileNamed,
  readProfiles,
} from './profile-file.js'
import { type ProjectSettings, readProjectFile } from './project-file.js'

/** The account and the output format of a command, and the source of each value. */
export interface Settings {
  profile: string
  environment: Environment
  /** Absent for the embedded sandbox. */
  baseUrl?: string
  apiKey?: string
  webhookSecrets: NamedSecret[]
  output?: string
  /** The targets that `webhooks listen` forwards to, by event type or `*`. */
  routes?: Record<string, string>
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
  /** `false` for a command that needs no key, such as `health`. Default `true`. */
  needsKey?: boolean
  /** Default: the system's keychain. */
  keychain?: Keychain
}

interface Sourced<Value> {
  value: Value
  source: string
}

const given = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : text.trim()

/**
 * Resolves the account by precedence: flag, variable, project file, profile, default. A stored key is never used with a
 * base URL from elsewhere. Throws `UsageError`.
 */
export async function resolveSettings(input: SettingsInput): Promise<Settings> {
  const project = readProjectFile(input.cwd)
  const file = readProfiles(input.configDir)
  const named = profileName(input, project, file)
  const stored = storedProfile(named, file)
  const address = baseAddress(input, named, stored)
  const adHoc = address !== undefined && address.source !== `profile ${named.value}`
  const key = await apiKey(input, named, stored, adHoc)
  if (adHoc && key === undefined && input.needsKey !== false)
    throw new UsageError(
      `${address.source} is set without DLV_API_KEY: a stored key is sent only to its own profile's base URL.`,
      { hint: 'Set DLV_API_KEY too, or choose a profile: dlv profiles list' },
    )
  const notices = address?.notices ?? []
  const exposure = exposureOf(profileFilePath(input.configDir))
  const environment = environmentOf(input, named, stored, adHoc)
  if (environment.value !== 'local' && address === undefined)
    throw new UsageError(`Profile "${named.value}" has no base URL.`, {
      hint: `dlv profiles add ${named.value} --environment ${environment.value} --base-url https://…/delivery/v1`,
    })
  const secrets = webhookSecrets(input, named, stored)
  const output = outputOf(input, project)
  const sources: Record<string, string> = {
    profile: adHoc && named.source === 'default' ? 'none' : named.source,
    environment: environment.source,
    baseUrl: address?.source ?? 'embedded sandbox',
    apiKey: key?.source ?? (address === undefined ? 'embedded sandbox' : 'none'),
    webhookSecrets: secrets.source,
    output: output?.source ?? 'default',
  }
  return {
    profile: named.value,
    environment: environment.value,
    ...(address === undefined ? {} : { baseUrl: address.value }),
    ...(key === undefined ? {} : { apiKey: key.value }),
    webhookSecrets: secrets.value,
    ...(output === undefined ? {} : { output: output.value }),
    ...(project?.routes === undefined ? {} : { routes: project.routes }),
    sources,
    notices,
    warnings: exposure === undefined ? [] : [exposure],
  }
}

function profileName(input: SettingsInput, project: ProjectSettings | undefined, file: ProfileFile): Sourced<string> {
  const flag = given(input.flags.profile)
  if (flag !== undefined) return { value: flag, source: 'flag --profile' }
  const variable = given(input.env.DLV_PROFILE)
  if (variable !== undefined) return { value: variable, source: 'DLV_PROFILE' }
  if (project?.profile !== undefined) return { value: project.profile, source: project.file }
  if (typeof file.current === 'string') return { value: file.current, source: 'profiles use' }
  const hasAddress = given(input.flags.baseUrl ?? input.env.DLV_BASE_URL) !== undefined
  if (file.current === null && !hasAddress) throw noneSelected(file)
  return { value: 'local', source: 'default' }
}

/** The current profile was removed: falling back to the embedded sandbox would look like success. */
function noneSelected({ profiles }: ProfileFile): UsageError {
  const names = [...new Set([...Object.keys(profiles), 'local'])]
  return new UsageError('No profile is selected: the current one was removed.', {
    hint: `Select one with dlv profiles use NAME: ${names.join(', ')}${'local' in profiles ? '' : ' (the embedded sandbox)'}.`,
  })
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

function baseAddress(
  input: SettingsInput,
  named: Sourced<string>,
  stored: Profile,
): (Sourced<string> & { notices: string[] }) | undefined {
  const read = (text: string, source: string) => {
    const { baseUrl, notices } = parseBaseAddress(text, source)
    return { value: baseUrl, source, notices }
  }
  const flag = given(input.flags.baseUrl)
  if (flag !== undefined) return read(flag, '--base-url')
  const variable = given(input.env.DLV_BASE_URL)
  // `-P local` asks for the embedded sandbox, whatever the environment variables say.
  const asksForLocal =
    named.source === 'flag --profile' && stored.environment === 'local' && stored.baseUrl === undefined
  if (variable !== undefined && !asksForLocal) return read(variable, 'DLV_BASE_URL')
  if (stored.baseUrl === undefined) return undefined
  return {
    value: parseBaseAddress(stored.baseUrl, `Profile "${named.value}"`).baseUrl,
    source: `profile ${named.value}`,
    notices: [],
  }
}

async function apiKey(
  input: SettingsInput,
  named: Sourced<string>,
  stored: Profile,
  adHoc: boolean,
): Promise<Sourced<string> | undefined> {
  const variable = given(input.env.DLV_API_KEY)
  if (variable !== undefined) return { value: checkedKey(variable), source: 'DLV_API_KEY' }
  if (adHoc || input.needsKey === false) return undefined
  if (stored.apiKey !== undefined) return { value: stored.apiKey, source: `profile ${named.value} (file)` }
  if (stored.keyIn !== 'keychain') return undefined
  const keychain = input.keychain ?? systemKeychain(process.platform, input.env)
  const found = await keychain.find(named.value)
  if (found === undefined)
    throw new UsageError(`The system's keychain has no key for profile "${named.value}", or is locked.`, {
      hint: `Unlock it, set DLV_API_KEY, or store the key again: dlv profiles add ${named.value} --api-key-stdin`,
    })
  return { value: found, source: `profile ${named.value} (keychain)` }
}

/** A key is sent in a header, so anything but visible ASCII was copied incorrectly. Throws `UsageError`. */
export function checkedKey(key: string): string {
  if (/^[\u0021-\u007e]{1,4096}$/.test(key)) return key
  throw new UsageError('The API key contains spaces, line breaks or non-ASCII characters.', { hint: 'Copy it again.' })
}

function environmentOf(
  input: SettingsInput,
  named: Sourced<string>,
  stored: Profile,
  adHoc: boolean,
): Sourced<Environment> {
  const variable = given(input.env.DLV_ENVIRONMENT)
  const asked = variable === undefined ? undefined : parseEnvironment(variable, 'DLV_ENVIRONMENT')
  const fromProfile = named.source !== 'default' || stored.environment !== 'local'
  if (adHoc && (!fromProfile || stored.environment === 'local'))
    return asked === undefined
      ? { value: 'sandbox', source: 'default with a base URL' }
      : { value: asked === 'local' ? 'sandbox' : asked, source: 'DLV_ENVIRONMENT' }
  const own: Sourced<Environment> = {
    value: stored.environment,
    source: fromProfile ? `profile ${named.value}` : 'default',
  }
  if (asked === undefined || stricter(asked, own.value) === own.value) return own
  return { value: asked, source: 'DLV_ENVIRONMENT' }
}

/** The signing secrets in `DLV_WEBHOOK_SECRET`, separated by spaces or commas; none if it is not set. */
export function secretsOfVariable(env: SettingsInput['env']): NamedSecret[] {
  const secrets = (env.DLV_WEBHOOK_SECRET ?? '').split(/[\s,]+/).filter((secret) => secret !== '')
  const nameOf = (index: number) => (secrets.length === 1 ? 'DLV_WEBHOOK_SECRET' : `DLV_WEBHOOK_SECRET ${index + 1}`)
  return secrets.map((secret, index) => ({ name: nameOf(index), secret }))
}

function webhookSecrets(input: SettingsInput, named: Sourced<string>, stored: Profile): Sourced<NamedSecret[]> {
  const secrets = secretsOfVariable(input.env)
  if (secrets.length > 0) return { value: secrets, source: 'DLV_WEBHOOK_SECRET' }
  return { value: stored.webhookSecrets, source: stored.webhookSecrets.length > 0 ? `profile ${named.value}` : 'none' }
}

function outputOf(input: SettingsInput, project: ProjectSettings | undefined): Sourced<string> | undefined {
  const flag = given(input.flags.output)
  if (flag !== undefined) return { value: flag, source: 'flag' }
  const variable = given(input.env.DLV_OUTPUT)
  if (variable !== undefined) return { value: variable, source: 'DLV_OUTPUT' }
  return project?.output === undefined ? undefined : { value: project.output, source: project.file }
}
