import { UsageError } from '../contract/index.js'
import { parseBaseAddress } from './environment.js'
import type { Keychain } from './keychain.js'
import { type Profile, type ProfileFile, profileNamed } from './profile-file.js'
import { type ProjectSettings, readProject, requireTrust } from './project-file.js'

export interface SettingsInput {
  flags: { profile?: string | undefined; baseUrl?: string | undefined; output?: string | undefined }
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  configDir: string
  /** Default: the system's keychain. */
  keychain?: Keychain
}

export interface Sourced<Value> {
  value: Value
  source: string
}

/** The source of an account, before its key and its environment are known. */
export interface ChosenAccount {
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

export const hasOwnKey = ({ apiKey, keyIn }: Profile) => apiKey !== undefined || keyIn === 'keychain'

/**
 * Chooses the account by, in this order: `-P`, `--base-url`, `DLV_PROFILE` or `DLV_BASE_URL`, the project file, the
 * current profile.
 */
export function chooseAccount(
  input: SettingsInput,
  project: ProjectSettings | undefined,
  file: ProfileFile,
): ChosenAccount {
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
  refuseEmptyVariable(env, chosen.source === 'default')
  return { ...profileAccount(chosen, file, false), hasVariables: true, notices: chosenBy(chosen, project) }
}

/** An empty variable is a secret of CI or a script's that was not set: the account it would fall back to looks like success. */
function refuseEmptyVariable(env: SettingsInput['env'], isDefault: boolean): void {
  for (const name of ['DLV_PROFILE', 'DLV_BASE_URL', ...(isDefault ? ['DLV_API_KEY'] : [])])
    if (env[name]?.trim() === '')
      throw new UsageError(`${name} is empty: is the secret that it comes from set?`, {
        hint: 'Set it, unset it, or name the profile: -P NAME',
      })
}

/** `-P` decides everything; what the environment says of another account is ignored, with a notice. */
function byFlag(name: string, url: string | undefined, { env }: SettingsInput, file: ProfileFile): ChosenAccount {
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
): ChosenAccount {
  const { env } = input
  const { baseUrl, notices } = parseBaseAddress(url, '--base-url')
  const lost = ['DLV_PROFILE', 'DLV_BASE_URL'].filter((variable) => given(env[variable]) !== undefined)
  const account: ChosenAccount = { address: { value: baseUrl, source: '--base-url' }, hasVariables: true, notices }
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

/** The profile that `DLV_BASE_URL` overrides: the one that counts here without it; otherwise the current one. */
export function profileHere(
  current: string,
  { env, ...place }: Pick<SettingsInput, 'env' | 'cwd' | 'configDir'>,
): string {
  if (given(env.DLV_BASE_URL) === undefined) return current
  return given(env.DLV_PROFILE) ?? readProject(place)?.profile ?? current
}

/**
 * The setting that takes precedence over a profile unless `-P` names it, as a sentence; `undefined` if there is none.
 */
export function overrideOf(
  name: string,
  { env, ...place }: Pick<SettingsInput, 'env' | 'cwd' | 'configDir'>,
): string | undefined {
  const profile = given(env.DLV_PROFILE)
  const project = readProject(place)
  const [by] = [
    ...(given(env.DLV_BASE_URL) === undefined ? [] : ['DLV_BASE_URL']),
    ...(profile === undefined || profile === name ? [] : [`DLV_PROFILE (${profile.slice(0, 80)})`]),
    ...(project?.profile === undefined || project.profile === name || profile !== undefined ? [] : [project.file]),
  ]
  return by === undefined ? undefined : `${by} overrides profile ${name} here; -P ${name} uses it nevertheless.`
}
