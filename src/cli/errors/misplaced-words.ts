import { shellWord } from '../../shared/command-words.js'
import { suggestions } from '../../shared/word-match.js'

/** Whether a word may hold a password, as addresses and connection strings do. */
export function mayHoldPassword(word: string): boolean {
  return /:\/\/|@|password=/i.test(word)
}

/** A word of the command line in quotes, cut; one that may hold a password is not repeated. */
export function quoted(word = ''): string {
  return mayHoldPassword(word) ? 'an address, which may hold a password' : JSON.stringify(word.slice(0, 80))
}

/** The fields that we read of a flag, as the parser or the manifest describes it. */
export interface DescribedFlag {
  type?: string
  summary?: string
  helpGroup?: string
  helpValue?: string | readonly string[]
  required?: boolean
  hidden?: boolean
  deprecated?: unknown
}

export interface DescribedCommand {
  id: string
  hidden?: boolean
  flags: Readonly<Record<string, DescribedFlag>>
}

type Flags = Readonly<Record<string, DescribedFlag>>

/** Names that other commands, or other programs, give to the same thing. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  '--from': ['--since'],
  '--since': ['--from'],
  '--to': ['--until', '--forward-to'],
  '--until': ['--to'],
  '--late': ['--problem'],
  '--stuck': ['--problem'],
  '--url': ['--to', '--forward-to', '--base-url'],
  '--file': ['--input', '--results', '--request'],
  '--input': ['--file'],
  '--data': ['--input', '--file'],
  '--force': ['--yes'],
  '--format': ['--output'],
}

/** The maximum number of commands named for having a flag. */
const namedCommands = 3

/** The flag of this command that was probably meant by an unknown one. */
export function meantFlag(typed: string, flags: Flags): string | undefined {
  const known = Object.keys(flags)
  const other = otherNames[typed]?.find((name) => known.includes(name.slice(2)))
  if (other !== undefined) return other
  const [near] = suggestions(typed.replace(/^-+/, ''), known, 1)
  return near === undefined ? undefined : `--${near}`
}

/** Which commands have a flag that this one has not: those of its topic, or else the few that do. */
export function ownersOf(typed: string, id: string, commands: readonly DescribedCommand[]): string | undefined {
  const owners = commands.filter(({ hidden, flags }) => hidden !== true && Object.hasOwn(flags, typed.slice(2)))
  const siblings = owners.filter((owner) => topicOf(owner) === topicOf({ id }))
  const [last, ...others] = (siblings.length > 0 ? siblings : owners)
    .map((owner) => `dlv ${owner.id.replaceAll(':', ' ')}`)
    .reverse()
  if (last === undefined || others.length >= namedCommands) return undefined
  return others.length === 0 ? `${last} has ${typed}.` : `${others.reverse().join(', ')} and ${last} have ${typed}.`
}

function topicOf({ id }: { id: string }): string | undefined {
  return id.includes(':') ? id.slice(0, id.indexOf(':')) : undefined
}

/** Advice for a word that the command takes no argument for; `undefined` if nothing suggests itself. */
export function meantArgument(word: string, name: string, flags: Flags): string | undefined {
  const own = Object.entries(flags).filter(([, flag]) => flag.type === 'option' && isOwn(flag))
  if (/^https?:\/\//.test(word)) {
    const urls = own.filter(([, { helpValue }]) => helpValue === 'URL').map(([flag]) => flag)
    const flag = urls.includes('to') ? 'to' : urls.length === 1 ? urls[0] : undefined
    return flag === undefined ? undefined : `Did you mean --${flag} URL?`
  }
  if (mayHoldPassword(word) || !/\.(?:json|ndjson|jsonl|csv|txt)$/.test(word)) return undefined
  const files = own.filter(([, { helpValue }]) => String(helpValue).startsWith('FILE'))
  const [flag] =
    files.find(([, { required }]) => required) ??
    files.find(([flag]) => word.includes(flag)) ??
    files.find(([name]) => name === 'file') ??
    []
  return flag === undefined ? undefined : `Did you mean dlv ${name} --${flag} ${shellWord(word)}?`
}

/** The variable that a switch reads, such as DLV_JOURNAL, if the line gives the switch the value itself. */
export function variableOf(
  argv: readonly string[],
  word: string,
  flags: Flags,
): [flag: string, variable: string] | undefined {
  const before = argv[argv.indexOf(word) - 1] ?? ''
  const flag = flags[before.slice(2)]
  const variable = flag?.type === 'boolean' ? /\bDLV_[A-Z_]+/.exec(flag.summary ?? '')?.[0] : undefined
  return before.startsWith('--') && variable !== undefined ? [before, variable] : undefined
}

/** Whether a flag is the command's own, and one that help shows. */
export function isOwn({ helpGroup, hidden, deprecated }: DescribedFlag): boolean {
  return helpGroup !== 'global' && hidden !== true && deprecated === undefined
}
