import { UsageError } from '../../contract/index.js'
import { profileNamed, readProfiles } from '../../profiles/index.js'
import { matchesStars } from '../../shared/word-match.js'

/** Which accounts a command line names, and its words without them. */
export interface SeveralAccounts {
  profiles: readonly string[]
  /** The words of the command line that do not choose accounts. */
  words: string[]
  /** Says which of the profiles are one account, whose rows are shown once for each. */
  doubt?: string | undefined
}

/** Commands that use no account: a variable that names several means others. */
const withoutAccount =
  /^(?:__complete|agent|alias|completion|openapi|profiles|tour)(?::|$)|^deliveries:(?:map|results)$|^sandbox:start$|^webhooks:receiver$/

/**
 * The accounts of a command line that asks for several: by a comma, a star or `--all-profiles`, even if there is only one;
 * `undefined` for one account.
 *
 * @param id the command, such as `deliveries:list`
 * @throws UsageError for a profile that does not exist, a pattern that fits none, or one that fits both environments
 */
export function severalAccounts(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  configDir: string,
  id = '',
): SeveralAccounts | undefined {
  const { profile, isAll, baseUrl, words } = accountWords(argv)
  const isTyped = isAll || baseUrl || withoutAccount.test(id)
  const asked = profile ?? (isTyped ? undefined : env.DLV_PROFILE?.trim())
  if (!isAll && (asked === undefined || !/[,*]/.test(asked))) return undefined
  if (isAll && profile !== undefined)
    throw new UsageError('--all-profiles and --profile both choose accounts.', { hint: 'Leave one of them out.' })
  if (baseUrl)
    throw new UsageError('--base-url names one address, and several accounts were asked for.', {
      hint: 'Leave it out: each profile has an address of its own.',
    })
  const profiles = chosen(isAll ? ['*'] : (asked ?? '').split(','), configDir)
  return { profiles, words, doubt: doubtOf(profiles, configDir) }
}

function doubtOf(profiles: readonly string[], configDir: string): string | undefined {
  const file = readProfiles(configDir)
  const byAccount = Map.groupBy(profiles, (name) => {
    const { account, baseUrl } = profileNamed(file, name) ?? {}
    return account === undefined ? name : `${account} ${baseUrl}`
  })
  const twins = [...byAccount.values()].filter(({ length }) => length > 1).map((names) => names.join(' and '))
  return twins.length === 0 ? undefined : `One account by several names, shown for each: ${twins.join('; ')}.`
}

/** The words that choose accounts, and the others. */
export function accountWords(argv: readonly string[]) {
  const words: string[] = []
  let profile: string | undefined
  let [isAll, baseUrl] = [false, false]
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--') {
      words.push(...argv.slice(at))
      break
    }
    if (word === '-P' || word === '--profile') profile = argv[++at]
    else if (word.startsWith('--profile=')) profile = word.slice('--profile='.length)
    else if (/^-P./.test(word)) profile = word.slice(2).replace(/^=/, '')
    else if (word === '--all-profiles') isAll = true
    else {
      baseUrl ||= /^--base-url(?:=|$)/.test(word)
      words.push(word)
    }
  }
  return { profile: profile?.trim(), isAll, baseUrl, words }
}

/** Profiles by their names and patterns, each once. `local` counts only by its name. */
function chosen(asked: readonly string[], configDir: string): string[] {
  const file = readProfiles(configDir)
  const known = Object.keys(file.profiles).sort()
  const names = new Set<string>()
  const byPattern = new Map<string, string[]>()
  const given = asked.map((name) => name.trim())
  // A comma at the end makes a list of one.
  if (given.length > 1 && given.at(-1) === '') given.pop()
  if (given.includes(''))
    throw new UsageError(`A name is empty in "${asked.join(',').slice(0, 80)}": is the variable that gives it set?`, {
      hint: 'Name each profile: -P a,b',
    })
  for (const one of given) {
    const found = one.includes('*') ? known.filter((name) => name !== 'local' && matchesStars(one, name)) : [one]
    if (found.length === 0) throw noProfileFits(one, known)
    if (found[0] === one && one !== 'local' && profileNamed(file, one) === undefined) throw noProfileFits(one, known)
    if (one.includes('*')) byPattern.set(one, found)
    for (const name of found) names.add(name)
  }
  if (names.size === 0) throw noProfileFits('', known)
  refuseMixed([...names], byPattern, (name) => profileNamed(file, name)?.environment === 'production')
  return [...names]
}

/** Production beside a sandbox has each account named: one that is added later fits a pattern too. */
function refuseMixed(
  names: readonly string[],
  byPattern: ReadonlyMap<string, readonly string[]>,
  isProduction: (name: string) => boolean,
): void {
  const production = names.filter(isProduction)
  if (production.length === 0 || production.length === names.length) return
  const patterns = [...byPattern]
  const isMixed = (found: readonly string[]) => found.some(isProduction) && !found.every(isProduction)
  const [pattern] = patterns.find(([, found]) => isMixed(found)) ?? patterns[0] ?? []
  if (pattern === undefined) return
  throw new UsageError(
    `${pattern === '*' ? 'All profiles' : `"${pattern}"`} would mix production (${production.join(', ')}) with sandbox accounts.`,
    { hint: 'Name each profile, as in -P a,b, or choose those of one environment.' },
  )
}

function noProfileFits(name: string, known: readonly string[]): UsageError {
  return new UsageError(name === '' ? 'No profile is named.' : `No profile "${name.slice(0, 80)}".`, {
    hint: known.length === 0 ? 'Add one: dlv profiles add NAME' : `Profiles: ${known.join(', ')}`,
  })
}
