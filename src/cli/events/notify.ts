import { spawn } from 'node:child_process'
import { type EventRecord, UsageError } from '../../contract/index.js'
import { eventDetail, eventSubject } from '../../render/event-detail.js'
import { eventWord } from '../../render/event-line.js'
import { plainText, safeJson, shorten } from '../../render/plain-text.js'
import { spanText } from '../../shared/durations.js'
import { sleep } from '../../shared/sleep.js'
import type { ProcessContext } from '../process/context.js'
import { findProgram } from '../process/find-program.js'
import { programEnvironment } from '../process/program-environment.js'

/** At most one notification in this time; what comes meanwhile is counted in the next one. */
const pauseMs = 2_000

/** Columns of a notification's text: no desktop shows more. */
const longestText = 400

/** Shows a title and a text outside the terminal. */
type Notifier = (title: string, text: string) => void

/** A title and a text. */
type Notification = readonly [title: string, text: string]

/** A notification about one of several accounts says which. */
export function ofAccount(profile: string | undefined, [title, text]: Notification): Notification {
  return [profile === undefined ? title : `${profile}: ${title}`, text]
}

interface Notifications {
  /** The notification is only made if it is shown. */
  show(make: () => Notification): void
  close(): void
}

/**
 * Notifications by the desktop, or by the terminal that stderr is.
 *
 * @throws UsageError if there is neither
 */
export function notifications(context: ProcessContext): Notifications {
  const notify = notifierOf(context)
  let pause: NodeJS.Timeout | undefined
  let waiting: { make: () => Notification; more: number } | undefined
  const send = (make: () => Notification, more: number) => {
    const [title, detail] = make()
    const rest = more === 0 ? '' : `and ${more} more`
    const text = [detail, rest].filter((part) => part !== '').join(', ')
    // An argument of a program holds no NUL and not everything that a service can send.
    notify(shorten(plainText(title), longestText), shorten(plainText(text), longestText))
    pause = setTimeout(() => {
      pause = undefined
      if (waiting === undefined) return
      const { make: next, more: others } = waiting
      waiting = undefined
      send(next, others)
    }, pauseMs)
    pause.unref()
  }
  return {
    show(make) {
      if (pause === undefined) send(make, 0)
      else waiting = { make, more: waiting === undefined ? 0 : waiting.more + 1 }
    },
    close: () => clearTimeout(pause),
  }
}

export function eventNotification({ eventType, data, deliveryId }: EventRecord, nowMs: number): Notification {
  const detail = eventDetail(eventType, data, { timeZone: 'UTC', nowMs })
  return [`${eventWord(eventType)} ${eventSubject(data, deliveryId)}`.trim(), detail]
}

function notifierOf({ env, stderr }: ProcessContext): Notifier {
  const program = (path: string, words: (title: string, text: string) => string[]): Notifier => {
    return (title, text) => {
      spawn(path, words(title, text), { stdio: 'ignore', env: programEnvironment(env) })
        .on('error', () => {})
        .unref()
    }
  }
  const desktop = process.platform === 'darwin' ? 'osascript' : 'notify-send'
  const path = findProgram(desktop, env)
  if (path !== undefined && desktop === 'osascript') return program(path, appleWords)
  const hasDesktop =
    env.DISPLAY !== undefined || env.WAYLAND_DISPLAY !== undefined || env.DBUS_SESSION_BUS_ADDRESS !== undefined
  if (path !== undefined && hasDesktop)
    return program(path, (title, text) => ['--app-name=dlv', '--', title, marked(text)])
  if (stderr.isTTY !== true)
    throw new UsageError('--notify needs a desktop or a terminal.', {
      hint: `${desktop} was not found${path === undefined ? ' on the PATH' : ', or there is no desktop'}. --exec runs any command for each event.`,
    })
  // iTerm2, Windows Terminal, kitty and others show this; the rest ring their bell.
  return (title, text) => void stderr.write(`\u001b]9;${[title, text].filter(Boolean).join(': ')}\u0007\u0007`)
}

/** The texts are arguments of the script, never part of it. */
function appleWords(title: string, text: string): string[] {
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run']
  return [...script.flatMap((line) => ['-e', line]), '--', title, text]
}

/** Notification servers read markup in the text. */
function marked(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Something that a command is run for. */
interface ExecSubject {
  /** Given to the command as JSON on standard input. */
  value: unknown
  variables: Record<string, string>
  /** Its name in a warning. */
  name: string
}

/** The pauses before a command that failed is tried again: an app that restarts, and one that is repaired by a person. */
const triedAgainAfterMs = [1_000, 5_000, 30_000, 120_000, 600_000]

/** More than these wait for another try at no time: what fails for all is no notice that was missed. */
const mostWaiting = 1_000

/** Where a command line runs, and what it is told by. */
interface ExecPlace {
  context: Pick<ProcessContext, 'env' | 'cwd' | 'stderr'>
  signal: AbortSignal
  warn(text: string): void
  /** One of several accounts, which the command's own `dlv` then works on. */
  profile: string | undefined
}

/**
 * Runs a command line for events or problems, one after the other; each is given as JSON on standard input and by its ids
 * in variables. Nothing of it becomes part of the command line. A command that fails is tried again after a pause, without
 * holding up what comes next, and each failure is a warning.
 */
export class ExecRuns {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(
    private readonly commandLine: string,
    private readonly place: ExecPlace,
  ) {}

  /** Resolves once the command has run for the first time. */
  async run(subject: ExecSubject): Promise<void> {
    const code = await this.#turn(subject)
    if (code === undefined || code === 0) return
    if (this.#waiting < mostWaiting) void this.#tryAgain(subject, code)
    else this.#warn(subject, `ended with ${code}`, `It is not tried again: ${mostWaiting} others wait for that.`)
  }

  async #tryAgain(subject: ExecSubject, firstCode: number): Promise<void> {
    const { signal } = this.place
    this.#waiting++
    let code: number | undefined = firstCode
    for (const pauseMs of triedAgainAfterMs) {
      this.#warn(subject, `ended with ${code}`, `It is tried again in ${spanText(pauseMs)}.`)
      await sleep(pauseMs, signal)
      if (signal.aborted) this.#warn(subject, `ended with ${code}`, 'It was not tried again.')
      code = await this.#turn(subject)
      if (code === undefined || code === 0) break
    }
    this.#waiting--
    if (code) this.#warn(subject, `ended with ${code}`, `It was tried ${triedAgainAfterMs.length + 1} times.`)
  }

  #warn({ name }: ExecSubject, what: string, then: string): void {
    // The id comes from the service, which must not be able to end what follows its events.
    this.place.warn(`The command of --exec ${what} for ${shorten(plainText(name), 80)}. ${then}`)
  }

  /** The exit code of the command, once those before it have ended; `undefined` if it was not run, or ended by us. */
  #turn(subject: ExecSubject): Promise<number | undefined> {
    const turn = this.#last.then(() => this.#start(subject))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #start({ value, variables, name }: ExecSubject): Promise<number | undefined> {
    const { context, signal, profile, warn } = this.place
    if (signal.aborted) return undefined
    // Loaded for the first event that comes: child processes are costly to load.
    const { runCommandLine } = await import('../process/command-line.js')
    try {
      const all = profile === undefined ? variables : { ...variables, DLV_PROFILE: profile }
      const code = await runCommandLine(context, this.commandLine, all, signal, `${safeJson(value)}\n`)
      return signal.aborted ? undefined : code
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      warn(`--exec was not run for ${shorten(plainText(name), 80)}: ${error.message}`)
      return undefined
    }
  }
}

export function execSubjectOf(event: EventRecord): ExecSubject {
  const { eventId, eventType, deliveryId } = event
  const variables = { DLV_EVENT_ID: eventId, DLV_EVENT_TYPE: eventType, DLV_DELIVERY_ID: deliveryId ?? '' }
  return { value: event, variables, name: `${eventId} (${eventType})` }
}
