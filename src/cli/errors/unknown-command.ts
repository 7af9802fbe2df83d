import { UsageError } from '../../contract/index.js'
import { didYouMean, suggestions } from '../../shared/suggestions.js'

/** The error for a command that does not exist; exits 127. */
export class UnknownCommandError extends UsageError {
  constructor(typed: string, known: readonly string[]) {
    const shown = typed.slice(0, 80)
    const near = nearCommands(shown, known).slice(0, 3)
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

function isSingularOf(typed: string, plural: string): boolean {
  return plural === `${typed}s` || plural === typed.replace(/y$/, 'ies')
}

function own<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined
}
