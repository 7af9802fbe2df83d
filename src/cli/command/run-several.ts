import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { UsageError } from '../../contract/index.js'
import { profileColumn, type View, withProfile } from '../../render/view.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import type { Gathering, OutputStream, ProcessContext } from '../process/context.js'
import type { Session } from '../session/session.js'

/** The gravest outcome first. */
const gravity = [1, 3, 8, 7, 2, 6, 5, 4, 9]

/** What chooses one account, and is none of several. */
const variablesOfOne = ['DLV_PROFILE', 'DLV_BASE_URL', 'DLV_API_KEY', 'DLV_ENVIRONMENT', 'DLV_WEBHOOK_SECRET']

/** What the command of one account printed. */
interface Printed {
  profile: string
  view: View<unknown> | undefined
  shown: unknown[]
  isList: boolean
  exitCode: number
}

/**
 * Runs a command that reads for each of several accounts at once, and prints what they have as one result, each row with
 * its account. One that fails hides nothing of the others: its error stands on stderr with its name.
 *
 * @param words the words of the command line without those that choose accounts
 */
export async function runSeveral(session: Session, profiles: readonly string[], words: readonly string[]) {
  const signal = session.takeSignals()
  const all = await Promise.all(profiles.map((profile) => runOne(session.context, profile, words, signal)))
  const printed = all.filter(({ view }) => view !== undefined)
  const view = printed[0]?.view
  if (view !== undefined) await show(session, view, printed)
  const codes = all.map(({ exitCode }) => exitCode)
  const gravest = gravity.find((code) => codes.includes(code)) ?? codes.find((code) => code !== 0)
  if (gravest !== undefined) session.context.exitCode ??= gravest
}

async function show(session: Session, view: View<unknown>, printed: readonly Printed[]): Promise<void> {
  const { isJson, choices, style } = session.output
  const isWhole = isJson || choices.quiet || choices.format !== 'table' || !style.terminal
  if (isWhole || printed.some(({ isList }) => isList)) {
    const rows = printed.flatMap(({ profile, shown }) => shown.map((row) => withProfile(profile, row)))
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

function runOne(
  outer: ProcessContext,
  profile: string,
  words: readonly string[],
  signal: AbortSignal,
): Promise<Printed> {
  const { run } = outer
  if (run === undefined) throw new UsageError('Several accounts cannot be asked here.')
  const printed: Printed = { profile, view: undefined, shown: [], isList: false, exitCode: 0 }
  const gathering: Gathering = {
    take(view, shown, isList) {
      printed.view ??= view
      printed.isList ||= isList
      for (const one of isList ? (shown as unknown[]) : [shown]) printed.shown.push(one)
    },
  }
  const signals = new EventEmitter()
  signal.addEventListener('abort', () => signals.emit('SIGINT'), { once: true })
  const env: NodeJS.ProcessEnv = { ...outer.env, DLV_NO_INPUT: '1' }
  for (const name of variablesOfOne) delete env[name]
  return new Promise((resolve, reject) => {
    const context: ProcessContext = {
      stdin: Readable.from([]),
      stdout: stream(outer.stdout, () => {}),
      stderr: stream(undefined, (line) => outer.stderr.write(`${labelled(profile, line)}\n`)),
      env,
      cwd: outer.cwd,
      signals: signals as unknown as ProcessContext['signals'],
      nowMs: () => outer.nowMs(),
      exit: (exitCode) => resolve({ ...printed, exitCode }),
      gathering,
      run,
    }
    run(forAccount(words, profile), context).catch(reject)
  })
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

/** A line of an account's notices and errors, with its name. */
function labelled(profile: string, line: string): string {
  const json = tryParseJson(line)?.value
  return isRecord(json) ? JSON.stringify({ profile, ...json }) : `${profile}: ${line}`
}

/** A stream that hands over whole lines, as wide as another one. */
function stream(like: OutputStream | undefined, onLine: (line: string) => void): OutputStream {
  let rest = ''
  const lines = new Writable({
    write(piece: Buffer, _, done) {
      const parts = `${rest}${piece}`.split('\n')
      rest = parts.pop() ?? ''
      for (const line of parts) onLine(line)
      done()
    },
  })
  return Object.assign(lines, { isTTY: like?.isTTY, columns: like?.columns, rows: like?.rows })
}
