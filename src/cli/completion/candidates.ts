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
import { installationsByZip } from '../deliveries/installation-zips.generated.js'
import { addable, sortKeys } from '../deliveries/listing/words.js'
import { explanations } from '../explanations/index.js'
import { outputFormats } from '../output/format.js'
import { shells } from './scripts.js'

/** A word that can come next, and its description. */
export interface Candidate {
  word: string
  text?: string | undefined
}

/** The parts of a command that completion reads. */
export interface CompletedCommand {
  id: string
  summary?: string | undefined
  hidden?: boolean | undefined
  flags: Record<
    string,
    { name: string; char?: string; type: string; summary?: string; options?: readonly string[]; hidden?: boolean }
  >
  args: Record<string, { options?: readonly string[] }>
}

/** Values that are looked up on demand. */
export interface Lookups {
  profiles(): Promise<string[]>
  /** References or ids, whichever may continue the word, with a description. */
  recentDeliveries(current: string): Promise<Candidate[]>
  stores(): Promise<Candidate[]>
  snapshots(): Promise<Candidate[]>
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
  installation: Object.values(installationsByZip).flatMap((codes) => codes.split(' or ')),
}

/** The candidates for a line, each word once: `words` before the cursor, of which the last one is being typed. */
export async function candidatesFor(
  words: readonly string[],
  commands: readonly CompletedCommand[],
  topics: readonly { name: string; description?: string | undefined }[],
  lookups: Lookups,
): Promise<Candidate[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const afterFlags = before.slice(leadingFlagWords(before, commands))
  const { command, taken } = commandOf(afterFlags, commands)
  const all = await (command === undefined
    ? beforeCommand(before, afterFlags, commands, topics, lookups)
    : forCommand(command, afterFlags.slice(taken), current, lookups))
  const known = new Set<string>()
  return all.filter(({ word }) => word.startsWith(current) && !known.has(word) && known.add(word))
}

/** The number of words of the global flags before the command. */
function leadingFlagWords(words: readonly string[], commands: readonly CompletedCommand[]): number {
  let count = 0
  while (words[count]?.startsWith('-')) {
    const word = words[count] ?? ''
    count += !word.includes('=') && valuedFlag(word, commands) !== undefined ? 2 : 1
  }
  return Math.min(count, words.length)
}

/** The flag that a word names, if a value follows it. */
function valuedFlag(word: string, commands: readonly CompletedCommand[]) {
  const flags = Object.values(commands.find(({ id }) => id === 'health')?.flags ?? {})
  return flags.find(
    ({ name, char, type }) =>
      type === 'option' && (word === `--${name}` || (char !== undefined && word === `-${char}`)),
  )
}

async function beforeCommand(
  before: readonly string[],
  afterFlags: readonly string[],
  commands: readonly CompletedCommand[],
  topics: readonly { name: string; description?: string | undefined }[],
  lookups: Lookups,
): Promise<Candidate[]> {
  const open = afterFlags.length === 0 ? valuedFlag(before.at(-1) ?? '', commands) : undefined
  return open === undefined
    ? nextWords(afterFlags, commands, topics)
    : flagCandidates({ id: '', flags: {}, args: {} }, open, '', lookups)
}

function commandOf(
  words: readonly string[],
  commands: readonly CompletedCommand[],
): { command?: CompletedCommand; taken: number } {
  for (let taken = words.length; taken > 0; taken--) {
    const command = commands.find(({ id }) => id === words.slice(0, taken).join(':'))
    if (command !== undefined) return { command, taken }
  }
  return { taken: 0 }
}

function nextWords(
  before: readonly string[],
  commands: readonly CompletedCommand[],
  topics: readonly { name: string; description?: string | undefined }[],
): Candidate[] {
  const prefix = before.length === 0 ? '' : `${before.join(':')}:`
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
  const previous = given.at(-1)
  const open = flags.find(
    ({ name, char, type }) =>
      type === 'option' && (previous === `--${name}` || (char !== undefined && previous === `-${char}`)),
  )
  if (open !== undefined) return flagCandidates(command, open, current, lookups)
  if (current.startsWith('-')) return flags.map(({ name, summary }) => ({ word: `--${name}`, text: summary }))
  const position = positionOf(given, flags)
  return argumentCandidates(command, position, current, lookups)
}

function positionOf(given: readonly string[], flags: readonly { name: string; char?: string; type: string }[]): number {
  let position = 0
  for (let at = 0; at < given.length; at++) {
    const word = given[at] ?? ''
    if (!word.startsWith('-') || word === '-') position++
    else if (flags.some(({ name, char, type }) => type === 'option' && (word === `--${name}` || word === `-${char}`)))
      at++
  }
  return position
}

async function flagCandidates(
  command: CompletedCommand,
  flag: { name: string; options?: readonly string[] },
  current: string,
  lookups: Lookups,
): Promise<Candidate[]> {
  if (flag.options !== undefined) return plain(flag.options)
  if (flag.name === 'profile') return plain(await lookups.profiles())
  if (flag.name === 'delivery') return lookups.recentDeliveries(current)
  if (flag.name === 'store') return lookups.stores()
  if (flag.name === 'from' && command.id === 'deliveries:create') return lookups.recentDeliveries(current)
  if (flag.name === 'columns') return columnCandidates(current)
  if (command.id === 'deliveries:list' && Object.hasOwn(listValues, flag.name))
    return listCandidates(current, listValues[flag.name] ?? [])
  if ((flag.name === 'set' || flag.name === 'clear') && /^(?:deliveries|quotes):/.test(command.id))
    return plain(requestFieldPaths(DeliveryCreate).map((path) => (flag.name === 'set' ? `${path}=` : path)))
  if (flag.name === 'to' && command.id === 'simulate') return plain(deliveryStatuses)
  return plain(Object.hasOwn(flagValues, flag.name) ? (flagValues[flag.name] ?? []) : [])
}

/** Values of flags of a list that take several, separated by commas. */
const listValues: Readonly<Record<string, readonly string[]>> = {
  status: deliveryStatuses,
  with: addable,
}

function columnCandidates(current: string): Candidate[] {
  return listCandidates(
    current,
    [...responseFieldPaths()].filter((path) => !path.endsWith('*')),
  )
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
  if (/^(?:installations:(?:get|check)|sandbox:policy)$/.test(id)) return plain(flagValues.installation ?? [])
  if (id !== 'api') return []
  return position === 0
    ? plain(['GET', 'POST', 'PATCH'])
    : Object.values(operationRows).map(({ path, summary }) => ({ word: path, text: summary }))
}
