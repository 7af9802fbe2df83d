import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { UsageError } from '../../contract/index.js'
import { profileColumn, type View, withProfile } from '../../render/view.js'
import type { SeveralAccounts } from '../accounts/several.js'
import type { AccountRows, Gathering, ProcessContext } from '../process/context.js'
import { gravestOf, lineStream, namedLines, sideBySide, variablesFor } from '../session/account-session.js'
import type { Session } from '../session/session.js'
import { AccountList, placeIn, showMerged, wordsAt } from './merged-lists.js'

/** What the command of one account printed. */
interface Printed {
  profile: string
  view: View<unknown> | undefined
  shown: unknown[]
  isList: boolean
  exitCode: number
}

export { severalAccounts as profilesOf } from '../accounts/several.js'

/** What a command says of itself. */
interface CommandOfSeveral {
  readsSeveral: boolean
  flagsOfOne: readonly string[]
  looksUp: 'alone' | 'profile' | undefined
  namesIn?: typeof namesIn
}

/** The deliveries that a command shows. */
function namesIn(args: Readonly<Record<string, unknown>>, { ref }: Readonly<Record<string, unknown>>): string[] {
  if (typeof ref === 'string') return [`ref:${ref}`]
  return [args.id].flat().filter((name): name is string => typeof name === 'string' && name !== '-')
}

/** Reads the flags of a command, which makes its session. */
type Parsed = () => Promise<{
  args: Readonly<Record<string, unknown>>
  flags: Readonly<Record<string, unknown>>
  session: Session
}>

/**
 * Runs a command for each of several accounts, or for those that have the deliveries that it names. Answers with the words for
 * a single account, if it is to be run as for that alone.
 *
 * @throws UsageError if it writes, or a flag of it is for one account: nothing was sent
 */
export async function runForSeveral(
  { profiles, words }: SeveralAccounts,
  ctor: CommandOfSeveral,
  id: string,
  parsed: Parsed,
): Promise<string[] | undefined> {
  const { readsSeveral, flagsOfOne, looksUp } = ctor
  if (!readsSeveral && looksUp === undefined)
    throw new UsageError(
      `dlv ${id.replaceAll(':', ' ')} takes one account, and ${profiles.length} were asked for: ${profiles.slice(0, 10).join(', ')}. Nothing was sent.`,
      { hint: 'Name one: -P NAME' },
    )
  const { args, flags, session } = await parsed()
  const name = flagsOfOne.find((flag) => flags[flag] !== undefined && flags[flag] !== false)
  if (name !== undefined)
    throw new UsageError(`--${name} is for one account, and several were asked for.`, { hint: 'Name one: -P NAME' })
  const names = looksUp === undefined ? [] : (ctor.namesIn ?? namesIn)(args, flags)
  const typed = [...id.split(':'), ...words]
  if (names.length === 0) {
    await runSeveral(session, profiles, () => typed)
    return undefined
  }
  const { accountsWith } = await import('./find-account.js')
  const owners = await accountsWith(session, profiles, names)
  const [owner] = owners.keys()
  if (looksUp === 'alone' && owner !== undefined) {
    session.notices.notice(`${names[0]} is a delivery of ${owner}.`)
    return [...words, `--profile=${owner}`]
  }
  // Each account is asked for its own.
  const wordsOf = (profile: string) =>
    typed.filter((word) => !names.includes(word) || owners.get(profile)?.includes(word))
  if (owner !== undefined) await runSeveral(session, [...owners.keys()], wordsOf)
  return undefined
}

/**
 * Runs a command that reads for each of several accounts at once, and prints what they have as one result, each row with
 * its account; lists are merged as they are read. One that fails hides nothing of the others: its error stands on stderr with its name.
 *
 * @param wordsOf the words of the command line for an account, without those that choose accounts
 */
async function runSeveral(
  session: Session,
  profiles: readonly string[],
  wordsOf: (profile: string) => readonly string[],
) {
  const signal = session.takeSignals()
  const input = await inputOf(session, wordsOf(profiles[0] ?? ''))
  const { place } = placeIn(session.words)
  // An account has begun when its rows can be read.
  const asked = profiles.filter((profile) => !place?.ended.includes(profile))
  const begun = await sideBySide(asked, async (profile) => {
    const list = new AccountList(profile)
    const words = wordsAt(placeIn(wordsOf(profile)).words, place, profile)
    const ended = gather(session.context, { profile, words, signal, input }, list).finally(list.isReady)
    ended.catch(() => undefined)
    await list.ready
    return { list, ended }
  })
  const lists = begun.map(({ list }) => list)
  const isShown = await showMerged(session, lists, place)
  const all = await Promise.all(begun.map(({ ended }) => ended))
  const printed = all.filter(({ view }) => view !== undefined)
  const view = printed[0]?.view
  if (view !== undefined && !isShown) await show(session, view, printed)
  const gravest = gravestOf(all.map(({ exitCode }) => exitCode))
  if (gravest !== undefined) session.context.exitCode ??= gravest
}

async function show(session: Session, view: View<unknown>, printed: readonly Printed[]): Promise<void> {
  const { isJson, choices, style } = session.output
  const isWhole = isJson || choices.quiet || choices.format !== 'table' || !style.terminal
  if (isWhole || printed.some(({ isList }) => isList)) {
    // JSON has what the command shows of each account, and a table the rows of it, such as the quotes of an answer.
    const rowsOf = (one: unknown) =>
      isJson || printed.some(({ isList }) => isList) ? [one] : (view.rows?.(one) ?? [one])
    const rows = printed.flatMap(({ profile, shown }) => shown.flatMap(rowsOf).map((row) => withProfile(profile, row)))
    const { card: _, rows: __, empty, ...rest } = view as View<unknown[]>
    const columns = [profileColumn, ...rest.columns]
    // The values of a card say little without their names.
    const named = printed.some(({ isList }) => isList) ? {} : { pipeHeader: true as const }
    return session.show({ ...rest, ...named, columns, ...(empty === undefined ? {} : { empty }) }, rows)
  }
  // A card for each account, under its name.
  for (const { profile, shown } of printed)
    for (const one of shown) {
      await session.output.text(`${profile}:`)
      await session.show(view, one)
    }
}

/** Standard input, if the command reads it: each account gets all of it. */
async function inputOf({ context }: Session, words: readonly string[]): Promise<Buffer[]> {
  const reads = words.some((word) => word === '-' || word.endsWith('=-') || word === '-f-')
  return reads ? Array.fromAsync(context.stdin, (piece) => Buffer.from(piece)) : []
}

/** What is run for each account. */
interface Asked {
  profile: string
  words: readonly string[]
  signal: AbortSignal
  /** What standard input holds. */
  input: readonly Buffer[]
}

async function gather(outer: ProcessContext, asked: Asked, list: AccountList): Promise<Printed> {
  const { profile } = asked
  const printed: Printed = { profile, view: undefined, shown: [], isList: false, exitCode: 0 }
  const gathering: Gathered = {
    take(view, shown, isList) {
      printed.view ??= view
      printed.isList ||= isList
      for (const one of isList ? (shown as unknown[]) : [shown]) printed.shown.push(one)
    },
    list: (view, pages, merging) => list.offer(view, pages, merging),
  }
  const exitCode = await runOne(outer, { ...asked, gathering })
  return { ...printed, exitCode }
}

/** Takes what the command of an account prints. */
export type Gathered = Gathering

/** Runs a command line for one of several accounts, and gives its exit code. */
export function runOne(
  outer: ProcessContext,
  {
    profile,
    words,
    signal,
    input,
    gathering,
    accountRows,
  }: Asked & { gathering: Gathered; accountRows?: AccountRows | undefined },
): Promise<number> {
  const { run } = outer
  if (run === undefined) throw new UsageError('Several accounts cannot be asked here.')
  const signals = new EventEmitter()
  signal.addEventListener('abort', () => signals.emit('SIGINT'), { once: true })
  return new Promise((resolve, reject) => {
    const context: ProcessContext = {
      stdin: Readable.from(input),
      stdout: lineStream(outer.stdout, () => {}),
      stderr: namedLines(profile, outer.stderr),
      env: variablesFor(outer.env),
      cwd: outer.cwd,
      signals: signals as unknown as ProcessContext['signals'],
      ownsHeap: outer.ownsHeap,
      nowMs: () => outer.nowMs(),
      exit: resolve,
      gathering,
      accountRows,
      typed: typedFor(words, profile),
      run,
    }
    run(forAccount(words, profile), context).catch(reject)
  })
}

/** The command line as it would be typed for one account, for texts that repeat it. */
function typedFor(words: readonly string[], profile: string): string[] {
  const end = words.indexOf('--')
  return words.toSpliced(end === -1 ? words.length : end, 0, '-P', profile)
}

/** The command line for one account; a filter is applied to the whole. */
function forAccount(words: readonly string[], profile: string): string[] {
  const end = words.indexOf('--')
  const [flags, args] = end === -1 ? [words, []] : [words.slice(0, end), words.slice(end)]
  const at = flags.findIndex((word) => word === '--jq' || word.startsWith('--jq='))
  const unfiltered =
    at === -1 ? [...flags] : [...flags.slice(0, at), ...flags.slice(flags[at] === '--jq' ? at + 2 : at + 1)]
  const isJson = at === -1 || unfiltered.some((word) => /^(?:--json|-o|--output)/.test(word))
  return [...unfiltered, ...(isJson ? [] : ['--json']), `--profile=${profile}`, '--no-pager', '--no-input', ...args]
}
