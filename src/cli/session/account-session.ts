import { EventEmitter } from 'node:events'
import { Writable } from 'node:stream'
import { accountFlagsOf } from '../../shared/command-words.js'
import { isRecord, tryParseJson } from '../../shared/json.js'
import { sleep } from '../../shared/sleep.js'
import { Notices } from '../output/notices.js'
import { Output } from '../output/output.js'
import type { OutputStream, ProcessContext } from '../process/context.js'
import { isInterruption } from '../process/signals.js'
import { Session } from './session.js'

/** The gravest outcome first. */
const gravity = [1, 3, 8, 7, 2, 6, 5, 4, 9]

/** What chooses one account, and is none of several. */
const variablesOfOne = ['DLV_PROFILE', 'DLV_BASE_URL', 'DLV_API_KEY', 'DLV_ENVIRONMENT', 'DLV_WEBHOOK_SECRET']

/** The gravest of the exit codes of several accounts; `undefined` if all of them are 0. */
export function gravestOf(codes: readonly number[]): number | undefined {
  return gravity.find((code) => codes.includes(code)) ?? codes.find((code) => code !== 0)
}

/** The variables for one of several accounts: nothing of them chooses another. */
export function variablesFor(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own: NodeJS.ProcessEnv = { ...env, DLV_NO_INPUT: '1' }
  for (const name of variablesOfOne) delete own[name]
  return own
}

/** A stream of an account's notices and errors: each line gets its name. */
export function namedLines(profile: string, to: OutputStream): OutputStream {
  return lineStream(undefined, (line) => to.write(`${labelled(profile, line)}\n`))
}

/** A stream that hands over whole lines, as wide as another one. */
export function lineStream(like: OutputStream | undefined, onLine: (line: string) => void): OutputStream {
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

/** A line of an account's notices and errors, with its name. */
function labelled(profile: string, line: string): string {
  const json = tryParseJson(line)?.value
  return isRecord(json) ? JSON.stringify({ profile, ...json }) : `${profile}: ${line}`
}

/** One of the accounts that a command works on, and its session. */
export interface AccountSession {
  /** Absent if the command works on one account. */
  profile: string | undefined
  session: Session
}

/**
 * The session of one of several accounts: the command's own streams, flags and output, with an account, a client, limits
 * and an exit code of its own. What it says on stderr begins with its name.
 */
export function accountSession(outer: Session, profile: string): Session {
  const flags = { ...outer.flags, profile, 'all-profiles': false }
  const accountFlags = accountFlagsOf(flags)
  const stderr = namedLines(profile, outer.context.stderr)
  const own: Partial<ProcessContext> = {
    stderr,
    env: variablesFor(outer.context.env),
    exitCode: undefined,
    subject: { ...outer.context.subject },
    accountFlags,
    signals: new EventEmitter(),
  }
  const context = derived(outer.context, own)
  const { style, choices } = outer.output
  const notices = new Notices(stderr, style, outer.notices.json, accountFlags)
  const output = new Output(context, { ...style, accountFlags }, choices, (text) => notices.notice(text))
  const { config, command, words } = outer
  const session = new Session({ context, config, flags, command, words, output, notices })
  const end = () => context.onInterruption?.('SIGINT')
  const interruption = outer.context.interruption ?? outer.takeSignals()
  interruption.addEventListener('abort', end, { once: true })
  session.onClose(() => interruption.removeEventListener('abort', end))
  return session
}

/** A context that reads from another one what it has not itself, and writes nothing to it. */
function derived(outer: ProcessContext, own: Partial<ProcessContext>): ProcessContext {
  const hidden = { account: undefined, gathering: undefined, onInterruption: undefined, interruption: undefined }
  const members = Object.entries({ ...hidden, hasWritten: undefined, askedMs: undefined, ...own })
  const described = members.map(([name, value]) => [name, { value, writable: true, enumerable: true }] as const)
  return Object.create(outer, Object.fromEntries(described)) as ProcessContext
}

/**
 * Does something for each account, side by side. One that fails hides nothing of the others: its error stands on stderr
 * with its name, and the exit code is the gravest. The error of a single account is thrown.
 */
export async function forEachAccount(
  outer: Session,
  profiles: readonly string[] | undefined,
  work: (account: AccountSession) => Promise<void>,
): Promise<void> {
  if (profiles === undefined) return work({ profile: undefined, session: outer })
  const codes = await sideBySide(profiles, (profile) => workFor(outer, profile, work))
  const gravest = gravestOf(codes)
  if (gravest !== undefined) outer.context.exitCode = gravest
}

/**
 * Opens something for each account that stays open until the command ends. One that fails hides nothing of the others, as
 * with `forEachAccount`.
 */
export async function openAccounts<Opened>(
  outer: Session,
  profiles: readonly string[] | undefined,
  open: (account: AccountSession) => Promise<Opened>,
): Promise<Opened[]> {
  if (profiles === undefined) return [await open({ profile: undefined, session: outer })]
  const all = await sideBySide(profiles, async (profile) => {
    const opened: Opened[] = []
    const session = accountSession(outer, profile)
    const failure = await failureOf(session, async () => void opened.push(await open({ profile, session })))
    if (failure === undefined) outer.onClose((error) => session.close(error))
    else await session.close(failure)
    return { opened, code: Number(session.context.exitCode ?? 0) }
  })
  const gravest = gravestOf(all.map(({ code }) => code))
  if (gravest !== undefined) outer.context.exitCode ??= gravest
  return all.flatMap(({ opened }) => opened)
}

/** Accounts that begin at once; each of the others begins when one is done, or when this process has nothing to do. */
const atOnce = 6
const momentMs = 20

/**
 * Works for several accounts side by side. They do not all begin in the same moment: what one of many has received would wait
 * while the others are read, until its time limit was over.
 */
export async function sideBySide<Result>(
  profiles: readonly string[],
  work: (profile: string) => Promise<Result>,
): Promise<Result[]> {
  const begun: Promise<Result>[] = []
  const busy = new Set<Promise<unknown>>()
  for (const profile of profiles) {
    if (busy.size >= atOnce) await Promise.race([...[...busy].map(settled), aQuietMoment()])
    const result = work(profile)
    begun.push(result)
    busy.add(result)
    const end = () => void busy.delete(result)
    result.then(end, end)
  }
  return Promise.all(begun)
}

/** Waits until a timer comes when it should: it comes late while what another account sent is read. */
async function aQuietMoment(): Promise<void> {
  for (let lateMs = momentMs; lateMs >= momentMs; ) {
    const beganMs = performance.now()
    await sleep(momentMs)
    lateMs = performance.now() - beganMs - momentMs
  }
}

/** Waits for an end, whatever it is: who asked for it is told of a failure. */
function settled(work: Promise<unknown>): Promise<unknown> {
  return work.catch(() => undefined)
}

async function workFor(
  outer: Session,
  profile: string,
  work: (account: AccountSession) => Promise<void>,
): Promise<number> {
  const session = accountSession(outer, profile)
  const { context } = session
  await session.close(await failureOf(session, () => work({ profile, session })))
  // An interruption is the whole command's, which has its code.
  return context.interruption?.aborted === true && isInterruption(context.interruption.reason, context)
    ? 0
    : Number(context.exitCode ?? 0)
}

/** Prints the error of an account, by which its exit code is set. */
async function failureOf(
  { context, words }: Pick<Session, 'context' | 'words'>,
  work: () => Promise<void>,
): Promise<Error | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!isInterruption(error, context)) {
      const { reportFailure } = await import('../errors/print.js')
      context.exitCode = await reportFailure(error, words, context)
    }
    return error instanceof Error ? error : new Error(String(error))
  }
}
