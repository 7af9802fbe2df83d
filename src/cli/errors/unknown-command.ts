import { UsageError } from '../../contract/index.js'
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
