import {
  branches,
  cargoAttributes,
  DeliveryCreate,
  deliveryPoints,
  deliveryStatuses,
  eventTypes,
  operationRows,
  requestFieldPaths,
  responseFieldPaths,
  statusReasonCodes,
  undeliverableActions,
  verificationMechanisms,
} from '../../contract/index.js'
import { environments } from '../../profiles/index.js'
import { addable, sortKeys } from '../deliveries/listing/filters.js'
import { explanations } from '../explanations/index.js'
import { outputFormats } from '../output/format.js'
import { shells } from './scripts.js'

/** A word that can come next, and its description. */
export interface Candidate {
  word: string
  text?: string | undefined
}

interface CompletedFlag {
  name: string
  char?: string
  type: string
  helpValue?: string | string[] | undefined
  summary?: string
  options?: readonly string[]
  hidden?: boolean
}

/** The parts of a command that completion reads. */
export interface CompletedCommand {
  id: string
  summary?: string | undefined
  hidden?: boolean | undefined
  flags: Record<string, CompletedFlag>
  args: Record<string, { options?: readonly string[] }>
}

/** The commands and topics of the program. */
interface CompletedProgram {
  commands: readonly CompletedCommand[]
  topics: readonly { name: string; description?: string | undefined }[]
}

/** Values that are looked up on demand. */
interface Lookups {
  profiles(): Promise<string[]>
  /** References or ids, whichever may continue the word, with a description. */
  recentDeliveries(current: string): Promise<Candidate[]>
  stores(): Promise<Candidate[]>
  snapshots(): Promise<Candidate[]>
  /** The codes of installations. */
  installations(): Promise<Candidate[]>
}

const plain = (words: readonly string[]): Candidate[] => words.map((word) => ({ word }))

/** Values of flags by flag name. */
const flagValues: Readonly<Record<string, readonly string[]>> = {
  status: deliveryStatuses,
  until: deliveryStatuses,
  wait: deliveryStatuses,
  reason: statusReasonCodes,
  type: eventTypes,
  expect: eventTypes,
  output: outputFormats,
  environment: environments,
  branch: branches,
  contains: cargoAttributes,
  'delivery-point': deliveryPoints,
  'if-undeliverable': undeliverableActions,
  verify: verificationMechanisms,
  sort: sortKeys,
}

/** What can come next on a line. */
interface Completed {
  /** Each word once. */
  candidates: Candidate[]
  /** Whether the name of a file belongs there, which the shell completes. */
  takesFile: boolean
}

/** What completes a line. The last one of `words` is being typed: also the value of `--flag=`, which bash gives as words of its own. */
export async function completionFor(
  words: readonly string[],
  program: CompletedProgram,
  lookups: Lookups,
): Promise<Completed> {
  const { before, current, start } = beingTyped(words)
  const all = await candidatesAfter(before, current, program, lookups)
  const known = new Set<string>()
  const fitting = all.filter(({ word }) => word.startsWith(current) && !known.has(word) && known.add(word))
  return {
    candidates: fitting.map((one) => ({ ...one, word: start + one.word })),
    takesFile: takesFile(before, current, program),
  }
}

/** The words before the one that is typed, and the part of that which is completed. */
function beingTyped(words: readonly string[]) {
  const [before, current] = [words.slice(0, -1), words.at(-1) ?? '']
  if (current === '=') return { before, current: '', start: '' }
  if (before.at(-1) === '=') return { before: before.slice(0, -1), current, start: '' }
  const [, start = '', value = ''] = /^(--[a-z-]+=)(.*)$/s.exec(current) ?? []
  return start === '' ? { before, current, start } : { before: [...before, start.slice(0, -1)], current: value, start }
}

const fileValues = /FILE|DIR|BODY|CMD/
const fileArguments: ReadonlySet<string> = new Set(['file', 'scenario', 'expansion'])

/** Whether the word being typed names a file: the value of such a flag, such an argument, or what follows a user's own command. */
function takesFile(before: readonly string[], current: string, { commands }: CompletedProgram): boolean {
  const { command, given } = commandOf(before, commands)
  if (command === undefined) return false
  const flags = Object.values(command.flags)
  if (flags.length === 0) return true
  const open = valuedFlag(given.at(-1), flags)
  if (open !== undefined) return fileValues.test(String(open.helpValue))
  if (current.startsWith('-')) return false
  const names = Object.keys(command.args)
  return fileArguments.has(names[argumentsIn(given, flags).length] ?? '')
}

async function candidatesAfter(
  before: readonly string[],
  current: string,
  program: CompletedProgram,
  lookups: Lookups,
): Promise<Candidate[]> {
  const globalFlags = Object.values(program.commands.find(({ id }) => id === 'health')?.flags ?? {})
  const afterFlags = before.slice(leadingFlagWords(before, globalFlags))
  const { command, given } = commandOf(afterFlags, program.commands)
  if (command !== undefined) return forCommand(command, given, current, lookups)
  const open = afterFlags.length === 0 ? valuedFlag(before.at(-1), globalFlags) : undefined
  return open === undefined ? nextWords(afterFlags, program) : flagCandidates('', open, current, lookups)
}

/** The number of words of the global flags before the command. */
function leadingFlagWords(words: readonly string[], flags: readonly CompletedFlag[]): number {
  let count = 0
  while (words[count]?.startsWith('-')) count += valuedFlag(words[count], flags) === undefined ? 1 : 2
  return Math.min(count, words.length)
}

/** The flag that a word names, if its value is the next word. */
function valuedFlag(word: string | undefined, flags: readonly CompletedFlag[]): CompletedFlag | undefined {
  return flags.find(
    ({ name, char, type }) =>
      type === 'option' && (word === `--${name}` || (char !== undefined && word === `-${char}`)),
  )
}

function commandOf(
  words: readonly string[],
  commands: readonly CompletedCommand[],
): { command?: CompletedCommand; given: readonly string[] } {
  for (let count = words.length; count > 0; count--) {
    const command = commands.find(({ id }) => id === words.slice(0, count).join(':'))
    if (command !== undefined) return { command, given: words.slice(count) }
  }
  return { given: words }
}

/** The next words of commands and topics. */
function nextWords(before: readonly string[], { commands, topics }: CompletedProgram): Candidate[] {
  const prefix = before.map((word) => `${word}:`).join('')
  const found = new Map<string, Candidate>()
  for (const { id, summary, hidden } of commands) {
    if (hidden || !id.startsWith(prefix)) continue
    const [word = '', ...deeper] = id.slice(prefix.length).split(':')
    const topic = topics.find(({ name }) => name === prefix + word)
    if (!found.has(word)) found.set(word, { word, text: deeper.length > 0 ? topic?.description : summary })
  }
  return [...found.values()].sort((a, b) => (a.word < b.word ? -1 : 1))
}

async function forCommand(
  command: CompletedCommand,
  given: readonly string[],
  current: string,
  lookups: Lookups,
): Promise<Candidate[]> {
  const flags = Object.values(command.flags).filter(({ hidden }) => !hidden)
  const open = valuedFlag(given.at(-1), flags)
  if (open !== undefined) return flagCandidates(command.id, open, current, lookups)
  if (current.startsWith('-')) return flags.map(({ name, summary }) => ({ word: `--${name}`, text: summary }))
  return argumentCandidates(command, argumentsIn(given, flags).length, current, lookups)
}

/** The words that are neither flags nor their values. */
function argumentsIn(given: readonly string[], flags: readonly CompletedFlag[]): string[] {
  const isValue = (at: number) => valuedFlag(given[at - 1], flags) !== undefined
  return given.filter((word, at) => !isValue(at) && (word === '-' || !word.startsWith('-')))
}

async function flagCandidates(
  id: string,
  { name, options }: CompletedFlag,
  current: string,
  lookups: Lookups,
): Promise<Candidate[]> {
  if (options !== undefined) return plain(options)
  if (name === 'profile') return plain(await lookups.profiles())
  if (name === 'delivery' || (name === 'from' && id === 'deliveries:create')) return lookups.recentDeliveries(current)
  if (name === 'store') return lookups.stores()
  if (name === 'installation') return lookups.installations()
  if (name === 'columns')
    return listCandidates(
      current,
      [...responseFieldPaths()].filter((path) => !path.endsWith('*')),
    )
  if (id === 'deliveries:list' && name === 'status') return listCandidates(current, deliveryStatuses)
  if (id === 'deliveries:list' && name === 'with') return listCandidates(current, addable)
  if ((name === 'set' || name === 'clear') && /^(?:deliveries|quotes):/.test(id))
    return plain(requestFieldPaths(DeliveryCreate).map((path) => (name === 'set' ? `${path}=` : path)))
  if (name === 'to' && id === 'simulate') return plain(deliveryStatuses)
  return plain(Object.hasOwn(flagValues, name) ? (flagValues[name] ?? []) : [])
}

/** Completes the last of several comma-separated names. */
function listCandidates(current: string, names: readonly string[]): Candidate[] {
  const given = current.slice(0, current.lastIndexOf(',') + 1)
  return plain(names.map((name) => given + name))
}

const takesDelivery = /^(?:deliveries:(?:get|update|cancel|watch|open|proof)|simulate|sandbox:inspect)$/

async function argumentCandidates(
  { id, args }: CompletedCommand,
  position: number,
  current: string,
  lookups: Lookups,
): Promise<Candidate[]> {
  const options = Object.values(args)[position]?.options
  if (options !== undefined) return plain(options)
  if (takesDelivery.test(id) && (position === 0 || id === 'deliveries:get')) return lookups.recentDeliveries(current)
  if (/^sandbox:snapshot:/.test(id)) return lookups.snapshots()
  if (/^profiles:(?:use|remove|show)$/.test(id)) return plain(await lookups.profiles())
  if (id === 'explain') return explanations.map(({ code, meaning }) => ({ word: code, text: meaning }))
  if (id === 'completion') return plain(shells)
  if (id === 'webhooks:send') return plain(eventTypes)
  if (/^(?:installations:(?:get|check)|sandbox:policy)$/.test(id)) return lookups.installations()
  if (id !== 'api') return []
  return position === 0
    ? plain(['GET', 'POST', 'PATCH'])
    : Object.values(operationRows).map(({ path, summary }) => ({ word: path, text: summary }))
}
