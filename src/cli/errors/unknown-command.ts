import { UsageError } from '../../contract/index.js'
import { shellWord } from '../../shared/command-words.js'
import { didYouMean, suggestions } from '../../shared/word-match.js'

/** The error for a command that does not exist; exits 127. */
export class UnknownCommandError extends UsageError {
  /** @param rest the words after the unknown one: they may be a command of the topic that was meant */
  constructor(typed: string, known: readonly string[], rest: readonly string[] = []) {
    const shown = typed.slice(0, 80)
    const found = nearCommands(shown, known)
    const whole = found.flatMap((topic) => wholeIn(topic, rest, known))
    const near = whole.length > 0 ? whole.slice(0, 1) : found.slice(0, 3)
    super(`Unknown command "${shown}".`, {
      hint: didYouMean(near.map((command) => `dlv ${command}`)) ?? listing(shown, known),
    })
  }
}

/** The hint that names the help with the list of commands: the help of the topic if there is one, else the program's. */
function listing(typed: string, known: readonly string[]): string {
  const topic = typed.split(' ').slice(0, -1).join(' ')
  const hasTopic = topic !== '' && known.some((command) => command.startsWith(`${topic} `))
  return hasTopic ? `dlv ${topic} --help lists its commands.` : 'dlv --help lists all commands.'
}

/** Words that users of other command lines type for one of our commands. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  account: ['profiles show', 'capabilities'],
  auth: ['profiles add'],
  config: ['profiles show', 'profiles list'],
  init: ['profiles add'],
  listen: ['webhooks listen'],
  login: ['profiles add'],
  logout: ['profiles remove'],
  logs: ['webhooks log', 'events list'],
  ls: ['deliveries list'],
  order: ['deliveries create', 'deliveries list'],
  orders: ['deliveries create', 'deliveries list'],
  ping: ['health'],
  serve: ['sandbox start'],
  status: ['health', 'sandbox status'],
  track: ['deliveries watch'],
  whoami: ['profiles show', 'capabilities'],
}

/** Words that users of other command lines type for the last word of a command. */
const verbs: Readonly<Record<string, readonly string[]>> = {
  add: ['create', 'add'],
  delete: ['cancel', 'remove'],
  edit: ['update'],
  follow: ['watch', 'tail'],
  ls: ['list'],
  new: ['create', 'add'],
  rm: ['remove', 'cancel'],
  show: ['get', 'status'],
  track: ['watch'],
}

function nearCommands(typed: string, known: readonly string[]): string[] {
  const words = typed.split(' ')
  const last = words.at(-1) ?? ''
  const prefix = words
    .slice(0, -1)
    .map((word) => `${word} `)
    .join('')
  const found = [
    ...(own(synonyms, typed) ?? []),
    ...(own(verbs, last) ?? []).map((verb) => prefix + verb),
    ...known.filter((command) => isSingularOf(typed, command)),
    ...suggestions(typed, known),
    ...(words.length === 1 ? known.filter((command) => command.endsWith(` ${typed}`)) : []),
  ]
  return [...new Set(found)].filter((command) => known.includes(command))
}

/** The command of a topic that the further words name, as many of them as there are. */
function wholeIn(topic: string, rest: readonly string[], known: readonly string[]): string[] {
  for (let count = Math.min(rest.length, 2); count > 0; count--) {
    const command = [topic, ...rest.slice(0, count)].join(' ')
    const near = known.find((one) => one === command || isSingularOf(command, one) || isSingularOf(one, command))
    if (near !== undefined) return [near]
  }
  return []
}

function isSingularOf(typed: string, plural: string): boolean {
  return plural === `${typed}s` || plural === typed.replace(/y$/, 'ies')
}

function own<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}

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
